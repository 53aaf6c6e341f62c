"""The family of incremental cluster validity indices: formulas, caches and what-if questions."""
