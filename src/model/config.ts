// What the operator of a host has decided, from config.toml (docs/operator.md).
import type { LayoutPlace, RegistryPrefix } from './oci.ts'
import type { SandboxMode } from './sandbox.ts'

/** A value, and the name of the file that states it, for messages. */
export interface Decided<T> {
  readonly value: T
  readonly from: string
}

/** A prefix of references, and where what it names is read instead. */
export interface Mirror {
  /** Of a host, or of a host and the first parts of a repository. */
  readonly prefix: RegistryPrefix
  readonly target: RegistryPrefix | LayoutPlace
  /** The name of the file that states it, for messages. */
  readonly from: string
}

/** Of the system's file and the user's the stricter value; undefined where neither states one. */
export interface Config {
  /** `[security] confirm_external_actions`: whether a person is asked before each call that needs a confirmation. */
  readonly confirmExternalActions: Decided<boolean> | undefined
  /** `[security] sandbox`: whether programs of tools are held to their grants. */
  readonly sandbox: Decided<SandboxMode> | undefined
  /** `[security] sandbox_user`: a name or a number, for programs that root starts. */
  readonly sandboxUser: Decided<string> | undefined
  /** `[security] memory_mb`: of each process in a sandbox, in MiB. */
  readonly memoryMb: Decided<number> | undefined
  /**
   * `[registries.mirrors]`: the system's, then the user's. The first list that has a prefix for a reference decides about it: a user cannot
   * send elsewhere what the system has sent somewhere.
   */
  readonly mirrors: Decided<readonly (readonly Mirror[])[]> | undefined
  /** `[registries] timeout`: how many seconds one operation waits for registries in all. */
  readonly registryTimeout: Decided<number> | undefined
  /** `[locks] consent`: absolute paths of locks that consent to what they pin, of both files. */
  readonly lockConsent: Decided<readonly string[]> | undefined
}
