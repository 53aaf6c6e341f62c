"""Compiled functions are linked so that none is left out."""

from hypothesis import given
from hypothesis import strategies as st

from streamart._jit import _callers_first, _InnerLibrary


class Library(_InnerLibrary):
    """What a library is for the order: those that it calls."""

    def __init__(self):
        self._linking_libraries = []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_callers_come_before_what_they_call(calls):
    libraries = [Library() for _ in range(10)]
    for one, other in calls:
        if one != other:  # only later ones are called, so nobody calls itself
            libraries[min(one, other)]._linking_libraries.append(libraries[max(one, other)])
    entry = Library()
    entry._linking_libraries = libraries[:2]
    order = _callers_first(entry)
    assert len(set(map(id, order))) == len(order)
    for library in order:
        for below in library._linking_libraries:
            assert order.index(below) > order.index(library)
    assert all(library in order for library in libraries[:2])
