// How a tool is reached. What is particular to one kind is in ../transports/, the facts that it states to other systems included.
import { own } from '../../model/own.ts'
import type { Transport } from '../../model/tools.ts'
import { TRANSPORT_KINDS, TRANSPORTS, transportKind } from '../transports/index.ts'
import type { Json } from '../transports/kind.ts'
import type { ToolField } from './field.ts'

export const transport = {
  at: ['transport'],
  read(json): Transport {
    const stated = own(json as Json, 'kind')
    for (const kind of TRANSPORTS) if (kind.kind === stated) return kind.read(json as Json)
    throw new TypeError('the schema accepted a transport kind that the registry does not have')
  },
  write: (value: Transport) => transportKind(value).write(value),
  flags: {
    kind: {
      type: 'string',
      choices: TRANSPORT_KINDS.map(String).reverse(),
      placeholder: 'KIND',
      describe: 'transport; follows from --url or --command',
    },
    command: { type: 'string', placeholder: 'PATH', describe: 'exec: absolute path of the program' },
    arg: {
      type: 'strings',
      commas: false,
      allowEmpty: true,
      placeholder: 'ARG',
      describe: 'exec: an argument, in this order; --arg=-c for one that begins with a dash',
    },
    method: { type: 'string', placeholder: 'METHOD', describe: 'http: POST if left out' },
    url: {
      type: 'string',
      placeholder: 'URL',
      describe: 'http: absolute url; {{input.<path>}} in path and query',
    },
    header: { type: 'strings', commas: false, placeholder: "'NAME: VALUE'", describe: 'http: a header' },
  },
} as const satisfies ToolField<Transport>
