"""Naive kernels with expert references: how much of the gap does following the advice close?"""
