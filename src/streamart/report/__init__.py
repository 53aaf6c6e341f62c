"""Pictures of what a model has learnt. Needs matplotlib: ``pip install "streamart[plot]"``."""

from .picture import Outcome, demo_picture, draw_history, draw_model

__all__ = ["Outcome", "demo_picture", "draw_history", "draw_model"]
