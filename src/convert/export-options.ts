// The options of `tool export`.
import type { OptionTable } from '../cli/option.ts'
import { LOOK_UP_OPTION, TRUST_OPTIONS } from '../verify/judging-options.ts'
import { EXPORT_FORMATS } from './export-to.ts'

export const EXPORT_OPTIONS = {
  to: {
    type: 'string',
    required: true,
    choices: EXPORT_FORMATS.map(({ format }) => format),
    placeholder: 'FORMAT',
    describe: EXPORT_FORMATS.map(({ format, summary }) => `${format}: ${summary}`).join('. '),
  },
  api: {
    type: 'string',
    choices: ['chat', 'responses'],
    default: 'chat',
    placeholder: 'API',
    describe: 'openai: for chat completions, or for the responses API',
  },
  namespace: {
    type: 'string',
    placeholder: 'DOMAIN',
    describe: 'server-json: a domain of yours, backwards, before the agent’s name: io.github.acme',
  },
  out: {
    type: 'string',
    alias: 'o',
    placeholder: 'FILE',
    describe: 'where to write it; standard output if left out',
  },
  names: {
    type: 'string',
    placeholder: 'FILE',
    describe: 'write there which tool has which other name; rlp tool import --names reads it',
  },
  force: { type: 'boolean', describe: 'replace files that hold something else' },
  'fail-on-loss': { type: 'boolean', describe: 'exit with 1, and write nothing, if a fact would be lost' },
  expect: {
    type: 'string',
    placeholder: 'NAME[@VARIANT][@RANGE]',
    describe:
      'which agent a bundle has to be, or blake3:HEX for one bundle; a name, and a file called <name>-<version>.agent.bundle, imply it',
  },
  ...TRUST_OPTIONS,
  'allow-unsigned': { type: 'boolean', describe: 'take a sound bundle without signature' },
  root: LOOK_UP_OPTION,
} as const satisfies OptionTable
