import { textRule } from '../document-rules.ts'

export const jsonDuplicateKey = textRule('json', ['duplicate-key'], {
  id: 'json/duplicate-key',
  summary: 'a key appears twice',
  why: 'One reader keeps the first value, another the last: what a reviewer saw need not be what runs.',
  fix: 'Remove one of the two.',
})
