"""Validity indices on their own: footprints of anybody's clusters, every index, and batch forms.

`streamart.icvi` shows what is here to users: ``from streamart import icvi``.
"""
