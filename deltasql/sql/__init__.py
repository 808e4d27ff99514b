"""Everything that reads the user's SQL text: tokens, relations, references, types and constants of expressions.

`patterns` spells strings, names, numbers and comments, `tokens` is the tokenizer, `extents` says where pieces of text
end that nothing looks into, `cursor` is what hand-written readers step with, `constants` says what literals stand for,
and `expression_types` with `function_types` what types expressions have. How types relate is `schema.type_lattice`.
What decides something about a table does not belong here: see `planner` and `skipping`.
"""
