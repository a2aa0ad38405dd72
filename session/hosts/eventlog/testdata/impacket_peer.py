"""An independent client of MS-EVEN, by python3-impacket. Usage: impacket_peer.py PORT. Prints how
many records System has, the number of the first, and how many bytes of them were read."""
import sys

from impacket.dcerpc.v5 import even, rpcrt, transport

t = transport.DCERPCTransportFactory('ncacn_ip_tcp:127.0.0.1[%s]' % sys.argv[1])
t.set_credentials('perf', 'Passw0rd!', '')
d = t.get_dce_rpc()
d.set_auth_type(rpcrt.RPC_C_AUTHN_WINNT)
d.set_auth_level(rpcrt.RPC_C_AUTHN_LEVEL_PKT_PRIVACY)
d.connect()
d.bind(even.MSRPC_UUID_EVEN)
log = even.hElfrOpenELW(d, 'System')['LogHandle']
number = even.hElfrNumberOfRecords(d, log)['NumberOfRecords']
oldest = even.hElfrOldestRecordNumber(d, log)['OldestRecordNumber']
read = even.hElfrReadELW(d, log, 2 | 4, oldest, 0x8000)['NumberOfBytesRead']
even.hElfrCloseEL(d, log) if hasattr(even, 'hElfrCloseEL') else None
print(number, oldest, read)
