"""Attacks on what is promised in docs/reliability.md; `make attack` runs them for long.

Every trial has a seed of its own, which is printed when it fails: ``python -m attack files --seed
123 --trials 1`` (in this folder's parent) repeats it.
"""
