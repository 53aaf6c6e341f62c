"""Tests of the promises in docs/reliability.md; `make attack` runs them for a long time.

Every trial has its own seed, which is printed if it fails: ``python -m attack files --seed
123 --trials 1`` (in this folder's parent) repeats it.
"""
