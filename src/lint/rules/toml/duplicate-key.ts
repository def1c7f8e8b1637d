import { textRule } from '../document-rules.ts'

export const tomlDuplicateKey = textRule('toml', ['duplicate-key'], {
  id: 'toml/duplicate-key',
  summary: 'a key appears twice',
  why: 'One reader keeps the first value, another the last: what a reviewer saw need not be what runs.',
  fix: 'Remove one of the two.',
})
