// kb_write: domains of the knowledge base, to write.
import { knowledge } from './knowledge.ts'

export const kbWrite = knowledge('kb_write', 'kbWrite', 'write')
