"""The five post-processing strategies, one file each, in the order of Algorithm 1:
merge, split, swap, compress, prune-and-reassign."""
