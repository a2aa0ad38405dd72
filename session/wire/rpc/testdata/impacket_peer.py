"""An independent client: bind, NTLM and calls by python3-impacket. Usage:
impacket_peer.py PORT USER PASSWORD. Prints "ok", or what went wrong."""
import struct
import sys

from impacket.dcerpc.v5 import rpcrt, transport
from impacket.dcerpc.v5.rpcrt import DCERPC_v5, DCERPCException
from impacket.uuid import uuidtup_to_bin

PCQ = uuidtup_to_bin(('da5a86c5-12c2-4943-ab30-7f74a813d853', '1.0'))
NDR64 = ('71710533-beba-4937-8319-b5dbef9ccc36', '1.0')
NONE, CONNECT, INTEGRITY, PRIVACY = 1, 2, 5, 6


def p32(*values):
    return struct.pack('<%dI' % len(values), *values)


MACHINE = p32(1, 0, 1) + bytes(4)


def dial(port, user, password, level, syntax=None):
    t = transport.DCERPCTransportFactory('ncacn_ip_tcp:127.0.0.1[%s]' % port)
    t.set_credentials(user, password, 'LAB')
    d = t.get_dce_rpc()
    protect(d, level)
    d.connect()
    t.get_socket().settimeout(10)
    d.bind(PCQ, **({'transfer_syntax': syntax} if syntax else {}))
    return d


def protect(d, level):
    if level > NONE:
        d.set_auth_type(rpcrt.RPC_C_AUTHN_WINNT)
        d.set_auth_level(level)


def call(d, op, stub):
    d.call(op, stub)
    return d.recv()


def fails(what, text, f):
    try:
        f()
    except DCERPCException as e:
        assert text in str(e), '%s: %s' % (what, e)
    except Exception as e:  # the connection ended
        assert text == '', '%s: %r' % (what, e)
    else:
        raise AssertionError(what + ' is taken')


def main(port, user, password):
    d = dial(port, user, password, PRIVACY)
    r = call(d, 0, MACHINE + p32(256))
    assert r[:20] == p32(3, 3, 256, 0, 3) and r[20:68] == b'\7' * 48 and r[68:72] == p32(0), r.hex()
    r = call(d, 3, MACHINE)
    handle = r[:20]
    assert handle != bytes(20) and r[20:24] == p32(0), r.hex()

    # Many fragments there and back.
    ids = bytes(range(256)) * 1000
    r = call(d, 7, handle + p32(len(ids), len(ids)) + ids + p32(1))
    want = bytearray(ids)
    want[16], want[17] = 0xB7, 1
    assert r == p32(len(ids)) + bytes(want) + p32(0), 'validate: %d bytes' % len(r)
    for _ in range(5):
        r = call(d, 6, handle + p32(1 << 30))
        n = struct.unpack_from('<I', r)[0]
        assert n == 32 * 3000 and len(r) == 20 + n + 4, 'data: %d of %d bytes' % (n, len(r))

    # A second security context of a lower level, beside the first.
    for level in (CONNECT, INTEGRITY):
        low = DCERPC_v5(d.get_rpc_transport())
        low.set_credentials(user, password, 'LAB')
        protect(low, level)
        low.set_ctx_id(d._ctx + level)
        low._DCERPC_v5__callid = d._DCERPC_v5__callid
        low.bind(PCQ, alter=1)
        r = call(low, 6, handle + p32(4096))
        assert r[:4] == p32(0) and r[-4:] == p32(5), 'level %d: %s' % (level, r.hex())
        r = call(low, 4, handle)
        assert r[:20] == handle and r[20:24] == p32(5), 'level %d: close: %s' % (level, r.hex())
        d._DCERPC_v5__callid = low._DCERPC_v5__callid
        assert len(call(d, 6, handle + p32(1 << 20))) > 3000, 'the handle did not live'
    r = call(d, 4, handle)
    assert r == bytes(24), r.hex()
    fails('closed handle', 'nca_s_fault_context_mismatch', lambda: call(d, 6, handle + p32(64)))

    for level in (NONE, CONNECT, INTEGRITY):
        low = dial(port, user, password, level)
        r = call(low, 0, MACHINE + p32(256))
        assert r == p32(0, 0, 256, 0, 0, 5), 'level %d: %s' % (level, r.hex())
        low.disconnect()

    d = dial(port, user, password, PRIVACY)
    fails('range', 'rpc_x_bad_stub_data', lambda: call(d, 0, MACHINE + p32(257)))
    fails('cut', 'rpc_x_bad_stub_data', lambda: call(d, 0, MACHINE))
    fails('opnum', 'nca_s_op_rng_error', lambda: call(d, 8, MACHINE))
    assert call(d, 3, MACHINE)[20:24] == p32(0)
    fails('NDR64', 'transfer_syntaxes_not_supported', lambda: dial(port, user, password, PRIVACY, NDR64))

    def wrong(u, p):
        call(dial(port, u, p, PRIVACY), 3, MACHINE)
    fails('wrong password', 'rpc_s_access_denied', lambda: wrong(user, password + 'x'))
    fails('guest', 'rpc_s_access_denied', lambda: wrong('Guest', ''))
    fails('anonymous', '', lambda: wrong('', ''))
    print('ok')


main(*sys.argv[1:])
