"""The page of a library: people as piles of faces, and what a person does with them."""
