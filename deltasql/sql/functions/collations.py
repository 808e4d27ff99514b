"""Names of collations as Spark spells them. Source: Spark's collations, of bytes or of ICU."""

from __future__ import annotations

import re

from deltasql.errors.suggestion import did_you_mean
from deltasql.errors.syntax import CollationNameError

_COMMON = ("UTF8_BINARY", "UTF8_LCASE", "UNICODE", "UNICODE_CI", "UNICODE_AI", "UNICODE_CI_AI", "en", "en_CI", "de_CI")
_OF_BYTES = re.compile(r"UTF8_(?:BINARY|LCASE)(?:_L?TRIM|_RTRIM)?")
_NAMES = """
UNICODE af am ar ar_SAU as az be bg blo bn bo br bs bs_Cyrl ca ceb chr cs cy da de de_AUT dsb dz ee el en en_USA
eo es et fa fa_AFG ff ff_Adlm fi fil fo fr fr_CAN fy ga gl gu ha haw he he_ISR hi hr hsb hu hy id id_IDN ig is
it ja ka kk kk_Arab kl km kn ko kok ku ky lb lij lkt ln lo lt lv mk ml mn mr ms mt my nb nb_NOR ne nl nn no nso
om or pa pa_Guru pa_Guru_IND pl ps pt ro ru sa se si sk sl smn sq sr sr_Cyrl sr_Cyrl_BIH sr_Cyrl_MNE sr_Cyrl_SRB
sr_Latn sr_Latn_BIH sr_Latn_SRB st sv sw ta te th tk tn to tr ug uk ur uz vi wae wo xh yi yo zh zh_Hans
zh_Hans_CHN zh_Hans_SGP zh_Hant zh_Hant_HKG zh_Hant_MAC zh_Hant_TWN zu
"""
_LOCALES = {name.upper(): name for name in _NAMES.split()}
"""Language, script and country, as in the ICU of Spark 4.2, by capitals."""
_MARKS = {"CS": 0, "CI": 0, "AS": 1, "AI": 1, "LTRIM": 2, "RTRIM": 2, "TRIM": 2}
"""The words behind a locale, each with its place in the name that Spark spells."""
_DEFAULTS = ("CS", "AS")


def spelled_collation(name: str) -> str:
    """The collation `name`, which may be written in any case, as Spark spells it. Raises CollationNameError."""
    upper = name.upper()
    if _OF_BYTES.fullmatch(upper):
        return upper
    words = name.split("_")
    marks: dict[int, str] = {}
    while len(words) > 1 and (mark := words[-1].upper()) in _MARKS and _MARKS[mark] not in marks:
        marks[_MARKS[mark]] = mark
        words.pop()
    locale = _LOCALES.get("_".join(words).upper())
    if locale is None:
        raise CollationNameError(name, did_you_mean(name, _COMMON))
    return "_".join([locale, *(marks[place] for place in sorted(marks) if marks[place] not in _DEFAULTS)])
