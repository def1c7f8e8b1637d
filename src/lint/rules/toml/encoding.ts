import { textRule } from '../document-rules.ts'

export const tomlEncoding = textRule('toml', ['encoding'], {
  id: 'toml/encoding',
  summary: 'the file is not plain UTF-8',
  why: 'A byte order mark or a broken sequence is dropped by one reader and refused by the next.',
  fix: 'Save the file as UTF-8 without a byte order mark.',
})
