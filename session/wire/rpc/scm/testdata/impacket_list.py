# impacket_list.py PORT USER PASSWORD: lists services by impacket, over TCP with packet privacy.
# impacket reads lpResumeIndex without its referent, and so the result, 4 bytes early.
import struct, sys
from impacket.dcerpc.v5 import rpcrt, scmr, transport
from impacket.dcerpc.v5.ndr import NULL

t = transport.DCERPCTransportFactory('ncacn_ip_tcp:127.0.0.1[%s]' % sys.argv[1])
t.set_credentials(sys.argv[2], sys.argv[3])
d = t.get_dce_rpc()
d.set_auth_level(rpcrt.RPC_C_AUTHN_LEVEL_PKT_PRIVACY)
d.connect()
d.bind(scmr.MSRPC_UUID_SCMR)
h = scmr.hROpenSCManagerW(d, 'x\x00', 'ServicesActive\x00', 5)['lpScHandle']
q = scmr.REnumServicesStatusExW()
q['hSCManager'], q['InfoLevel'], q['dwServiceType'], q['dwServiceState'] = h, 0, 0x30, 3
q['cbBufSize'], q['lpResumeIndex'], q['pszGroupName'] = 262144, 0, NULL
r = d.request(q, checkError=False)
b = b''.join(r['lpBuffer'])

def text(at):
    end = at
    while b[end:end + 2] != b'\0\0':
        end += 2
    return b[at:end].decode('utf-16le')

for i in range(r['lpServicesReturned']):
    f = struct.unpack_from('<11I', b, 44 * i)
    print(text(f[0]), f[3], f[9])
for s in scmr.hREnumServicesStatusW(d, h, 0x30, 3):
    print('14', s['lpServiceName'][:-1])
