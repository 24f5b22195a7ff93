"""Frozen values without the start-up cost of ``dataclasses``: its import, and the code that it makes for each class.

A command loads some sixty classes of values and makes instances of a dozen.  Here a class costs next to nothing until
its first instance is made: only then is its ``__init__`` compiled.  To everybody else it is a dataclass: type checkers
know it, and ``dataclasses.fields``, ``replace`` and ``asdict`` take it.

>>> @frozen
... class Span:
...     offset: int
...     size: int = 0
>>> replace(Span(offset=3), size=4)
Span(offset=3, size=4)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, overload

    from typing_extensions import dataclass_transform

    T = TypeVar("T")

__all__ = ["constructor", "field", "frozen", "names_of_fields", "replace", "slotted"]

_NOTHING = object()


class _Field:
    """What is known of a field: its default or what makes one, and whether it is shown and compared."""

    __slots__ = ("compare", "default", "make", "repr")

    def __init__(self, default: Any, make: Callable[[], Any] | None, repr_: bool, compare: bool) -> None:
        self.default = default
        self.make = make
        self.repr = repr_
        self.compare = compare


def field(
    *,
    default: Any = _NOTHING,
    default_factory: Callable[[], Any] | None = None,
    repr: bool = True,  # noqa: A002 - as dataclasses call it
    compare: bool = True,
) -> Any:
    """A field with a default that is made anew for each instance, or one that is not shown or not compared."""
    return _Field(default, default_factory, repr, compare)


def _made(cls: type, *, kw_only: bool, eq: bool, is_frozen: bool) -> type:
    namespace = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    own = {name: namespace.pop(name, _NOTHING) for name in namespace.get("__annotations__", {})}
    fields = {name: one for base in reversed(cls.__mro__[1:]) for name, one in getattr(base, "_FIELDS", {}).items()}
    fields |= {name: one if isinstance(one, _Field) else _Field(one, None, True, True) for name, one in own.items()}
    compared = tuple(name for name, one in fields.items() if one.compare)
    namespace |= {
        "__slots__": tuple(own),
        "__qualname__": cls.__qualname__,
        "_FIELDS": fields,
        "_COMPARED": compared,
        "_KW_ONLY": kw_only,
        "__dataclass_fields__": _STANDARD_FIELDS,
        "__init__": _first_init,
        **({"__setattr__": _refuse, "__delattr__": _refuse} if is_frozen else {}),
        "__getstate__": _state,
        "__setstate__": _set_state,
    }
    namespace.setdefault("__repr__", _shown)
    if eq and "__eq__" not in namespace:
        namespace |= {"__eq__": _equal, "__hash__": _hash if is_frozen else None}
    return type(cls)(cls.__name__, cls.__bases__, namespace)


def _decorator(cls: type | None = None, /, *, kw_only: bool = True, eq: bool = True, is_frozen: bool = True) -> Any:
    """A class of values: slots for its annotated names, no assignment, equal if all fields are."""
    if cls is not None:
        return _made(cls, kw_only=kw_only, eq=eq, is_frozen=is_frozen)
    return lambda decorated: _made(decorated, kw_only=kw_only, eq=eq, is_frozen=is_frozen)


def _decorator_of_slotted(cls: type | None = None, /, *, kw_only: bool = True, eq: bool = True) -> Any:
    """The same for what is put together bit by bit: its fields can be assigned to."""
    return _decorator(cls, kw_only=kw_only, eq=eq, is_frozen=False)


if TYPE_CHECKING:

    @overload
    def frozen(cls: type[T], /) -> type[T]: ...
    @overload
    def frozen(*, kw_only: bool = True, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
    @dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
    def frozen(cls: type[T] | None = None, /, *, kw_only: bool = True, eq: bool = True) -> Any:
        """What type checkers know of the decorator."""

    @overload
    def slotted(cls: type[T], /) -> type[T]: ...
    @overload
    def slotted(*, kw_only: bool = True, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
    @dataclass_transform(kw_only_default=True, field_specifiers=(field,))
    def slotted(cls: type[T] | None = None, /, *, kw_only: bool = True, eq: bool = True) -> Any:
        """What type checkers know of the decorator."""

else:
    frozen, slotted = _decorator, _decorator_of_slotted


def replace(one: T, /, **changes: Any) -> T:
    """The same value with other fields."""
    cls: Any = type(one)
    values = {name: getattr(one, name) for name in cls._FIELDS}
    made: T = cls(**(values | changes))
    return made


def names_of_fields(cls: Any) -> tuple[str, ...]:
    """The names of the fields of a class that was made here, in the order of their declaration."""
    return tuple(cls._FIELDS)


def _first_init(self: Any, /, *arguments: Any, **named: Any) -> None:
    """Takes the place of ``__init__`` until the first instance is made."""
    cls = type(self)
    cls.__init__ = _init_of(cls)
    self.__init__(*arguments, **named)


def constructor(cls: type[T]) -> type[T]:
    """What makes instances as the class does when it is called, in a third of the time: for those made in thousands.

    It is compiled when it is first asked for, and is no class, though it is called like one.  It takes values without
    their names, too, up to the first field with a default: where there are many, the names take most of the time.

    >>> @frozen
    ... class Span:
    ...     offset: int
    ...     size: int = 0
    >>> make_span = constructor(Span)
    >>> make_span(offset=3)
    Span(offset=3, size=0)
    """
    found = _constructors.get(cls)
    if found is None:
        found = _constructors[cls] = _constructor_of(cls)
    return found  # type: ignore[no-any-return]


_constructors: dict[type, Any] = {}


def _constructor_of(cls: Any) -> Any:
    """A function, which is called without the detour by ``__new__`` and ``__init__``.

    It fills an instance of a class of the same slots that can be assigned to, and then makes it one of ``cls``.
    """
    slots = {"__slots__": cls.__slots__, "__setattr__": object.__setattr__}
    names = {"_new": object.__new__, "_open": type(cls.__name__, cls.__bases__, slots), "_cls": cls}
    parameters, values = _parameters(cls, names)
    if parameters[:1] == ["*"]:
        first = next((place for place, parameter in enumerate(parameters) if "=" in parameter), len(parameters))
        parameters = parameters[1:first] + (["*", *parameters[first:]] if first < len(parameters) else [])
    body = [
        "self = _new(_open)",
        *(f"self.{name} = {value}" for name, value in values.items()),
        "self.__class__ = _cls",
    ]
    return _compiled(f"{cls.__qualname__}", parameters, [*body, "return self"], names)


def _init_of(cls: Any) -> Any:
    """Compiled, since it runs for every instance: values are put into their slots without a look-up."""
    names: dict[str, Any] = {f"_set_{name}": getattr(cls, name).__set__ for name in cls._FIELDS}
    parameters, values = _parameters(cls, names)
    body = [f"_set_{name}(self, {value})" for name, value in values.items()]
    return _compiled(f"{cls.__qualname__}.__init__", ["self", *parameters], body or ["pass"], names)


def _parameters(cls: Any, names: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """The parameters for a class's fields, and what each field is set to; what both speak of is added to ``names``."""
    parameters, values = ["*"] if cls._KW_ONLY and cls._FIELDS else [], {}
    names["_NOTHING"] = _NOTHING
    for name, one in cls._FIELDS.items():
        values[name] = name
        if one.make is not None:
            names[f"_make_{name}"] = one.make
            values[name] = f"_make_{name}() if {name} is _NOTHING else {name}"
            parameters.append(f"{name}=_NOTHING")
        elif one.default is not _NOTHING:
            names[f"_default_{name}"] = one.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
    return parameters, values


def _compiled(qualname: str, parameters: list[str], body: list[str], names: dict[str, Any]) -> Any:
    name = qualname.rpartition(".")[2]
    text = f"def {name}({', '.join(parameters)}):\n " + "\n ".join(body)
    exec(text, names)  # noqa: S102 - the text is made of the class's own field names
    made = names[name]
    made.__qualname__ = qualname
    return made


def _refuse(_self: object, name: str, *_value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return all(getattr(self, name) == getattr(other, name) for name in self._COMPARED)


def _hash(self: Any) -> int:
    return hash(tuple([getattr(self, name) for name in self._COMPARED]))


def _shown(self: Any) -> str:
    shown = [f"{name}={getattr(self, name)!r}" for name, one in self._FIELDS.items() if one.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self._FIELDS]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self._FIELDS, state, strict=True):
        object.__setattr__(self, name, value)


class _StandardFields:
    """``__dataclass_fields__``, made when somebody looks at it."""

    def __get__(self, instance: object, owner: Any) -> dict[str, Any]:
        import dataclasses

        known = owner._FIELDS  # noqa: SLF001 - of this module's own making
        fields = [(name, object, _standard(one)) for name, one in known.items()]
        made: Any = dataclasses.make_dataclass(owner.__name__, fields, kw_only=True)
        found: dict[str, Any] = made.__dataclass_fields__
        return found


def _standard(one: _Field) -> Any:
    import dataclasses

    flags = {"repr": one.repr, "compare": one.compare}
    if one.make is not None:
        return dataclasses.field(default_factory=one.make, **flags)  # type: ignore[call-overload]
    if one.default is not _NOTHING:
        return dataclasses.field(default=one.default, **flags)  # type: ignore[call-overload]
    return dataclasses.field(**flags)  # type: ignore[call-overload]


_STANDARD_FIELDS = _StandardFields()
