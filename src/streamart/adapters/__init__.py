"""Adapters for other libraries. Import each by its own name; each needs its extra.

`streamart.adapters.river` has clusterers for river, `streamart.adapters.river_metric` validity
indices as metrics for river, and `streamart.adapters.bertopic` cluster models for BERTopic.
"""
