import { textRule } from '../document-rules.ts'

export const tomlUnsafeValue = textRule('toml', ['unsafe-value', 'too-deep'], {
  id: 'toml/unsafe-value',
  summary: 'a value that readers disagree about',
  why: 'Numbers beyond 2^53, lone surrogates, __proto__ keys and nesting beyond 64 levels are read differently, or crash readers.',
  fix: 'Write a value that every reader reads alike.',
})
