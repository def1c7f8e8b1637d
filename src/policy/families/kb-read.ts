// kb_read: domains of the knowledge base, to read.
import { knowledge } from './knowledge.ts'

export const kbRead = knowledge('kb_read', 'kbRead', 'read')
