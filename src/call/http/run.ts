// Runs a tool of transport kind "http": one request to the host that is granted, and what came back (docs/running-http.md).
//
// Not with `fetch`: it looks names up again by itself, takes proxies from the environment, and carries secret headers to wherever an answer
// redirects; on Node 20 nothing of that can be turned off without a further package.

import { type RunClock, startClock } from '../../io/process/run-clock.ts'
import type { Planned, RunFacts, RunHost, Runner, RunRefusal, RunRequest } from '../../model/run.ts'
import { REQUEST_ENFORCED } from '../../model/sandbox.ts'
import { connect, exchange, type HttpRequest } from '../../net/connect.ts'
import type { Internet } from '../../net/internet.ts'
import { findTarget, grantedReach, hostPort, type NetTarget } from '../../net/target.ts'
import { withReadableHosts } from '../../policy/readable-host.ts'
import { connectionFailure, readAnswer, type SeenBytes, shownText } from './answer.ts'
import { followRedirect, httpRequest, MOST_REDIRECTS, maskedRequest } from './request.ts'

export function httpHost(internet: Internet): RunHost {
  return { kind: 'http', plan: planHttp, run: httpRunner(internet) }
}

/** An idle limit is for programs. */
const NO_LIMIT: RunRefusal = {
  kind: 'rejected',
  message: 'A request needs a time limit, and x-rlp.timeout_ms is 0',
  extra: { reason: 'no_idle_limit' },
}

function planHttp({ tool, input, text, limits }: Parameters<RunHost['plan']>[0]): Planned {
  if (limits.timeoutMs === Number.POSITIVE_INFINITY) return { ok: false, refusal: NO_LIMIT }
  const request = maskedRequest(tool, input, text)
  if ('kind' in request) return { ok: false, refusal: request }
  const { method, url, headers, body } = request
  return {
    ok: true,
    plan: {
      argv: [method, url],
      cwd: '',
      envKeys: [],
      detail: {
        kind: 'http',
        method,
        url,
        headers: Object.fromEntries(headers),
        body: body ?? null,
        timeout_ms: limits.timeoutMs,
        sandbox: { enforced: REQUEST_ENFORCED },
      },
      lines: [
        ['request', `${method} ${url}`],
        ...readableHost(url),
        ...headers.map(([name, value]) => ['header', `${name}: ${value}`] as const),
        ...(body === undefined ? [] : [['body', body] as const]),
        ['time limit', `${limits.timeoutMs / 1000} s`],
      ],
    },
  }
}

/** A line of its own for a host in punycode: in the url a readable form would be taken for a part of what is sent. */
function readableHost(url: string): (readonly [string, string])[] {
  const { hostname } = new URL(url)
  const shown = withReadableHosts(hostname)
  return shown === hostname ? [] : [['host', shown]]
}

interface Run extends RunRequest {
  readonly internet: Internet
  readonly clock: RunClock
  readonly seen: SeenBytes
}

export function httpRunner(internet: Internet): Runner {
  return async request => {
    const begun = performance.now()
    const seen: SeenBytes = { started: false, exit: -1, outputBytes: 0, truncated: false, notices: [] }
    const clock = startClock(request.limits.timeoutMs, request.signal)
    try {
      const result = await perform({ ...request, internet, clock, seen })
      const ms = Math.round(performance.now() - begun)
      const facts: RunFacts = { ...seen, errorBytes: 0, ms, enforced: REQUEST_ENFORCED }
      if (typeof result === 'string') return { status: 'answered', output: result, facts }
      return { status: 'failed', ...result, facts }
    } finally {
      clock.stop()
    }
  }
}

/** The text of the answer, or the failure. */
async function perform(run: Run): Promise<string | RunRefusal> {
  const { tool, input, text, secrets, net, internet, clock, seen } = run
  const reach = grantedReach(tool, net)
  if ('kind' in reach) return reach
  const request = httpRequest(tool, input, text, secrets)
  if ('kind' in request) return request
  try {
    const target = await clock.race(() => findTarget(reach, internet.lookup, clock.signal))
    return 'kind' in target ? target : await ask(run, target, request)
  } catch (error) {
    const refusal = clock.verdict(tool.id) ?? connectionFailure(error, hostPort(reach), seen.started)
    if (refusal === undefined) throw error
    return refusal
  }
}

/** One request, and those that its answers redirect to, each on a connection of its own. */
async function ask(run: Run, target: NetTarget, first: HttpRequest): Promise<string | RunRefusal> {
  let request = first
  for (let left = MOST_REDIRECTS; ; left--) {
    const socket = await connect(target, run.internet, run.clock.signal)
    try {
      run.seen.started = true
      const response = await exchange(socket, request)
      run.seen.exit = 0
      const { statusCode: status = 0, headers } = response
      const next = followRedirect(request, status, headers.location, text => shownText(text, run))
      if (next === undefined) return await readAnswer(response, run, run.seen, run.clock.signal)
      if ('kind' in next) return next
      if (left === 0) {
        const message = `The server answered ${status}, one redirect more than the ${MOST_REDIRECTS} that are followed`
        return { kind: 'execution_error', message, retryable: false, extra: { status } }
      }
      request = next
    } finally {
      socket.destroy()
    }
  }
}
