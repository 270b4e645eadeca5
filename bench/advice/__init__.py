"""The parts of advice.py: pairs (the list of kernels and their fixes), measure (on the GPU), advised (burin
advise), table (what is printed)."""
