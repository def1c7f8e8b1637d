// Variables that name a proxy + this Node → what is said where no connection is made: older Nodes use no proxy, whatever is set.
import { own } from '../../model/own.ts'

type Environment = Readonly<Record<string, string | undefined>>
/** Plain http is spoken to this machine alone, and needs none. */
const NAMES = ['https_proxy', 'HTTPS_PROXY']

/** Undefined where no proxy is named, or it is used. */
export function proxyHint(env: Environment, node: string = process.versions.node): string | undefined {
  const name = NAMES.find(one => (own(env, one) ?? '') !== '')
  if (name === undefined) return undefined
  const isAble = canUseProxies(node)
  if (isAble && env['NODE_USE_ENV_PROXY'] === '1') return undefined
  return isAble
    ? `${name} is set, and Node uses it only with NODE_USE_ENV_PROXY=1`
    : `${name} is set, and Node ${node} uses no proxy: run rlp with Node 24.5 or newer and NODE_USE_ENV_PROXY=1`
}

/** From 24.5 on, and from 22.21 on in the line before. */
function canUseProxies(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)
}
