"""The environment in which templates run: what they see, how they are kept, how values are taken apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from functools import cached_property
from typing import Final

from jinja2 import Environment, Template, pass_context
from jinja2.runtime import Context, Macro

_METHODS: Final = frozenset(dir(dict))


class _Context(Context):
    """What one template sees."""

    def call(self, called: Callable[..., object], *args: object, **kwargs: object) -> object:
        """Call what a template calls. A macro is not asked what it wants passed: nothing, as nothing is HTML here."""
        if type(called) is not Macro:
            return super().call(called, *args, **kwargs)
        kwargs.pop("_block_vars", None)
        kwargs.pop("_loop_vars", None)
        return called(*args, **kwargs)


def context_of(template: Template, values: Mapping[str, object]) -> _Context:
    """What a template sees of these values. All templates know the same globals, so which they are is not noted."""
    return _Context(template.environment, {**template.globals, **values}, template.name, template.blocks)


class TemplateEnvironment(Environment):
    """Neutral Markdown, escaped by `md`, not HTML. Globals are complete before the first template is loaded."""

    context_class = _Context

    @cached_property
    def _kept(self) -> dict[str, Template]:
        """Templates that were loaded, by name."""
        return {}

    def get_template(
        self, name: str | Template, parent: str | None = None, globals: MutableMapping[str, object] | None = None
    ) -> Template:
        """A template by name. The files do not change meanwhile, so those loaded are kept by their plain name."""
        kept = self._kept.get(name) if isinstance(name, str) and globals is None else None
        if kept is None:
            kept = super().get_template(name, parent, globals)
            if isinstance(name, str) and globals is None:
                self._kept[name] = kept
        return kept

    def getattr(self, obj: object, attribute: str) -> object:
        """A part of a value. Parts of mappings are looked for first, methods of mappings aside."""
        if type(obj) is dict and attribute in obj and attribute not in _METHODS:
            return obj[attribute]
        try:
            return getattr(obj, attribute)
        except AttributeError:
            return super().getattr(obj, attribute)

    def make_globals(self, d: MutableMapping[str, object] | None) -> MutableMapping[str, object]:
        """What a template knows besides its context. Faster to copy than the chain of maps that jinja makes."""
        return {**self.globals, **(d or {})}


def of_the_voice(shown: Callable[..., str]) -> Callable[..., str]:
    """A filter that is called when a template is shown.

    Jinja works out filters of constants when it compiles; the compiled form is kept and shared, so such a label would
    be that of the language, and of the wording, which was compiled first. A filter of the context is left alone.
    """

    @pass_context
    def filtered(context: Context, *values: object) -> str:
        return shown(*values)

    return filtered
