import { textRule } from '../document-rules.ts'

export const tomlSyntax = textRule('toml', ['syntax', 'empty'], {
  id: 'toml/syntax',
  summary: 'the file is not TOML 1.0',
  why: 'A file that cannot be read decides nothing: not what the agent is, not what it may do.',
  fix: 'Correct the text at the place that is named.',
})
