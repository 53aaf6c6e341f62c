"""The page of a library: it shows people as piles of faces and takes corrections."""
