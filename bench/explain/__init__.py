"""The parts of explain.py: lists (the launches and what they are for), metrics (what ncu counts as
evidence), measure (on the GPU), explained (burin explain and predict), tables (what is printed)."""
