import { textRule } from '../document-rules.ts'

export const jsonSyntax = textRule('json', ['syntax', 'empty'], {
  id: 'json/syntax',
  summary: 'the file is not JSON',
  why: 'A file that cannot be read decides nothing: not what the agent is, not what it may do.',
  fix: 'Correct the text at the place that is named.',
})
