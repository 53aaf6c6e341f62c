"""The network for other libraries. Each adapter is imported by its own name and needs its extra.

`streamart.adapters.river` is a clusterer for river, `streamart.adapters.bertopic` the cluster model
of BERTopic's online topic modelling.
"""
