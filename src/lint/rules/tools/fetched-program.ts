import { TOOLS_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import { programOf } from '../../../tools/program.ts'
import { type ExecStart, fetchedBy, pipedCode, startOf } from '../exec-starts.ts'
import type { Rule } from '../rule.ts'

export const toolsFetchedProgram: Rule = {
  id: 'tools/fetched-program',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool runs a program that is fetched when it is called',
  why: 'Digest and signature bind the name of a launcher, not what it fetches: tomorrow that can be another program, which was never reviewed.',
  fix: 'Pin an exact version, commit or digest; better, install the program on the host and name its path.',
  looks: 'exec',
  check({ at, tool: { transport } }, report) {
    const found = fetchedAt(startOf(transport))
    if (found === undefined) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', ...found.at] },
      message: found.message,
      fix: found.fix,
    })
  },
}

function fetchedAt({ transport, placeOf, inline }: ExecStart) {
  const fetcher = inline?.isShell ? pipedCode(inline.code) : undefined
  if (inline !== undefined && fetcher !== undefined)
    return {
      at: placeOf(inline.index),
      message: `${inline.program} runs what ${fetcher} fetches when the tool is called`,
      fix: 'Install the program on the host and name its path',
    }
  const { name, args } = programOf(transport)
  const fetched = fetchedBy(name, args)
  if (fetched === undefined) return undefined
  const { what, pin } = fetched
  const index = transport.args.findIndex(arg => arg === what || arg.endsWith(`=${what}`))
  return {
    at: index === -1 ? ['command'] : placeOf(index),
    message: `${name} fetches ${quoteText(what)} when the tool is called, and nothing says which content that is`,
    fix: pin,
  }
}
