"""How numba compiles our functions: each is optimised once, and quickly (docs/internals.md).

This uses parts of numba that are not public: a new version of numba needs `make test` first.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from llvmlite.binding import Linkage
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.environment import lookup_environment
from numba.core.types.functions import BaseFunction
from numba.np import arrayobj

from .handing import promise_to_stay
from .known import PutInWhatIsKnown


class _Library(JITCodeLibrary):
    """The code of one of our functions."""

    def add_ir_module(self, ir_module: Any) -> None:
        promise_to_stay(ir_module)
        super().add_ir_module(ir_module)


class InnerLibrary(_Library):
    """The code of a function that only compiled code calls: as written, no machine code.

    numba optimises every function together with all that it calls, then again as a part of each of
    its callers, and makes machine code of each. Here that is done once, for the entry.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        # It may be linked into several entries. numba would keep a copy of it for that.
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = Linkage.linkonce_odr
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Left to the entry, where the code ends up."""


def callers_first(entry: Any) -> list[Any]:
    """All libraries that an entry needs, each after those that call it.

    LLVM leaves out a function that nothing calls yet when it is linked in.
    """
    done: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library in done:
            return
        if library is entry or isinstance(library, InnerLibrary):
            for below in library._linking_libraries:
                visit(below)
        done[library] = None

    visit(entry)
    del done[entry]
    return list(reversed(done))


class EntryLibrary(_Library):
    """The code of a function that Python calls, together with all that it calls."""

    def finalize(self) -> None:
        self._linking_libraries = callers_first(self)
        super().finalize()
        codegen: Any = self._codegen
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                codegen.set_env(variable.name, environment)

    def _optimize_final_module(self) -> None:
        """Nobody else calls what is linked in: then LLVM puts what is called once into its caller,
        and hands over only what a function needs."""
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()


# What these passes look for does not occur in our functions: `with`, closures, raised messages, the
# unrolling of tuples, expressions of whole arrays. Each would go through the code once more.
_NEEDLESS = {
    "AnnotateTypes",
    "DumpParforDiagnostics",
    "FindLiterallyCalls",
    "InlineClosureLikes",
    "InlineInlinables",
    "InlineOverloads",
    "LiteralPropagationSubPipelinePass",
    "LiteralUnroll",
    "MakeFunctionToJitFunction",
    "NopythonRewrites",
    "RewriteDynamicRaises",
    "WithLifting",
}


class InnerCompiler(Compiler):
    library: type[Any] = InnerLibrary
    at_work = False  # numba lets only one thread compile, which goes from function to function

    def define_pipelines(self) -> Any:
        name = self.state.func_id.func_qualname
        self.state.library = self.library(self.state.targetctx.codegen(), name)
        self.state.library.enable_object_caching()
        return [_shortened(pipeline) for pipeline in super().define_pipelines()]

    def _compile_core(self) -> Any:
        if InnerCompiler.at_work:
            return super()._compile_core()
        InnerCompiler.at_work = True
        try:
            with _our_ways():
                return super()._compile_core()
        finally:
            InnerCompiler.at_work = False


class EntryCompiler(InnerCompiler):
    library = EntryLibrary


def _shortened(pipeline: Any) -> Any:
    shorter: Any = PassManager(pipeline.pipeline_name)
    for one, description in pipeline.passes:
        if one.__name__ not in _NEEDLESS:
            shorter.add_pass(one, description)
        if one.__name__ == "IRProcessing":  # before branches that are never taken are left out
            shorter.add_pass(PutInWhatIsKnown, "put in what is known")
    shorter.finalize()
    return shorter


def _remembering(find_out: Any) -> Any:
    """Which version of an operator takes which types is found out only once.

    numba tries all that there are, dozens for an index or a sum, anew at every place in the code.
    """
    known: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        place = (self.key, context, tuple(args))
        if kws:
            return find_out(self, context, args, kws)
        if place in known:
            signature, implementation = known[place]
            self._impl_keys[signature.args] = implementation
            return signature
        signature = find_out(self, context, args, kws)
        if signature is not None and signature.args in self._impl_keys:
            known[place] = signature, self._impl_keys[signature.args]
        return signature

    return get_call_type


def _as_it_is(wrap: Any) -> Any:
    """An index of an array is as it is.

    A negative one would count from the end: of each loop, LLVM would have to prove that there is
    none, or do without vectors. ``NUMBA_BOUNDSCHECK=1`` refuses them.
    """

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if isinstance(context.active_code_library, _Library):
            return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)
        return wrap(context, builder, kind, index, size)  # in what numba itself has written

    return fix_integer_index


@contextmanager
def _our_ways() -> Iterator[None]:
    """While this lasts, numba does so. Nor does it look for garbage, of which it makes little."""
    operators, arrays = cast(Any, BaseFunction), cast(Any, arrayobj)
    find_out, wrap, collects = operators.get_call_type, arrays.fix_integer_index, gc.isenabled()
    gc.disable()
    operators.get_call_type, arrays.fix_integer_index = _remembering(find_out), _as_it_is(wrap)
    try:
        yield
    finally:
        operators.get_call_type, arrays.fix_integer_index = find_out, wrap
        if collects:
            gc.enable()
