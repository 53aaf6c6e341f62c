"""Names for the arrays that the compiled core works on."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Records: TypeAlias = NDArray[np.void]  # a structured array: named fields, one record a row
Record: TypeAlias = Any  # one row of it; writing to a field writes to the array
