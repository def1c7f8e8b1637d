// Says on standard error what was named or found and is not taken for a bundle.
import type { PassedOver } from '../../model/report.ts'
import { grouped, plural } from '../../text/words.ts'
import type { Io } from '../command.ts'
import { type Listening, note } from './report.ts'

export function notePassed(io: Io, args: Listening, { links, special, files, own }: PassedOver): void {
  const words = [
    links > 0 && plural(links, 'link'),
    special > 0 && plural(special, 'special file'),
    files > 0 &&
      `${grouped(files)} ${files === 1 ? 'file that is' : 'files that are'} not called *.agent.bundle`,
    own > 0 && `${grouped(own)} ${own === 1 ? 'entry' : 'entries'} that rlp keeps for itself`,
  ].filter(one => one !== false)
  if (words.length > 0) note(io, args, `Passed over: ${words.join(', ')}`)
}
