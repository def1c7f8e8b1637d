// The system's lookup of a name, of which each address is looked at before it is connected to: a name says nothing of where it leads.
import dns from 'node:dns'
import type { LookupFunction } from 'node:net'

/** @param check throws for an address that may not be connected to */
export function checkedLookup(check: (address: string, host: string) => void): LookupFunction {
  return (host, options, callback) => {
    dns.lookup(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      try {
        if (error !== null) throw error
        if (first === undefined) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
        for (const { address } of found) check(address, host)
      } catch (why) {
        callback(why as NodeJS.ErrnoException, '', 0)
        return
      }
      if (options.all === true) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}
