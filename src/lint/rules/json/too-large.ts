import { textRule } from '../document-rules.ts'

export const jsonTooLarge = textRule('json', ['too-large'], {
  id: 'json/too-large',
  summary: 'the file is larger than may be read',
  why: 'Every verifier must read this file whole; a limit keeps that cheap.',
  fix: 'Make the file smaller; shared schemas may live in schemas/.',
})
