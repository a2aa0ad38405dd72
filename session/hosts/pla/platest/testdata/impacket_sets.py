#!/usr/bin/python3
"""An independent PLA client: impacket's DCOM runtime, PLA's structures by hand from MS-PLA.

Activates ServerDataCollectorSetCollection, calls GetDataCollectorSets, walks the sets by Item,
reads Name, Status, Xml; with --commit it makes a set from XML and prints the value map. Prints one line a fact.
"""
import argparse, sys
from impacket.dcerpc.v5.dtypes import LONG, ULONG, USHORT, SHORT, NULL, GUID
from impacket.dcerpc.v5.dcomrt import (DCOMCALL, DCOMANSWER, DCOMConnection, INTERFACE, IRemUnknown2, PMInterfacePointer,
                                       IID_IRemUnknown, RemRelease, REMINTERFACEREF)
from impacket.dcerpc.v5.dcom.oaut import BSTR, VARIANT, wireVARIANTStr
from impacket.dcerpc.v5.rpcrt import RPC_C_AUTHN_LEVEL_PKT_PRIVACY, DCERPCException
from impacket.uuid import string_to_bin, uuidtup_to_bin
from impacket import hresult_errors


def iid(x): return uuidtup_to_bin((x, '0.0'))


CLSID_SETS = string_to_bin('03837532-098B-11D8-9414-505054503030')
CLSID_SET = string_to_bin('03837531-098B-11D8-9414-505054503030')
IID_SETS = iid('03837524-098B-11D8-9414-505054503030')
IID_SET = iid('03837520-098B-11D8-9414-505054503030')
IID_MAP = iid('03837534-098B-11D8-9414-505054503030')
IID_ITEM = iid('03837533-098B-11D8-9414-505054503030')


def call(op, args=()):
    return type('Call%d' % op, (DCOMCALL,), {'opnum': op, 'structure': tuple(args)})


def answer(fields):
    return type('Answer', (DCOMANSWER,), {'structure': tuple(fields) + (('ErrorCode', ULONG),)})


class Object(IRemUnknown2):
    """An interface of a PLA object; every call names its opnum."""

    def __init__(self, interface, iid):
        IRemUnknown2.__init__(self, interface)
        self._iid = iid

    def do(self, op, args, results, ok=(0,), **values):
        req = call(op, args)()
        for k, v in values.items():
            if v is NULL or not hasattr(v, '__iter__') or isinstance(v, (int,)):
                req[k] = v
            else:
                req[k]['asData'] = v
        req['ORPCthis'] = self.get_cinstance().get_ORPCthis()
        req['ORPCthis']['flags'] = 0
        self.connect(self._iid)
        dce = self.get_dce_rpc()
        dce.call(op, req, self.get_iPid())
        stub = dce.recv()
        resp = answer(results)(stub)
        if resp['ErrorCode'] not in ok:
            raise SystemExit('opnum %d: 0x%08x %s' % (op, resp['ErrorCode'], hresult_errors.ERROR_MESSAGES.get(resp['ErrorCode'], ('',))[0]))
        return resp

    def text(self, op):
        return self.do(op, (), (('value', BSTR),))['value']['asData']

    def number(self, op, kind=LONG):
        return self.do(op, (), (('value', kind),))['value']

    def interface(self, resp, field, iid):
        data = b''.join(resp[field]['abData'])
        return Object(INTERFACE(self.get_cinstance(), data, self.get_ipidRemUnknown(), target=self.get_target()), iid)


def walk(collection, count, item_iid):
    for i in range(count):
        req = call(8, (('index', VARIANT),))()
        v = wireVARIANTStr()
        req['index']['clSize'] = 3
        req['index']['vt'] = 3
        req['index']['_varUnion']['tag'] = 3
        req['index']['_varUnion']['lVal'] = i
        req['ORPCthis'] = collection.get_cinstance().get_ORPCthis()
        req['ORPCthis']['flags'] = 0
        collection.connect(collection._iid)
        dce = collection.get_dce_rpc()
        dce.call(8, req, collection.get_iPid())
        resp = answer((('value', PMInterfacePointer),))(dce.recv())
        if resp['ErrorCode']:
            raise SystemExit('Item: 0x%08x' % resp['ErrorCode'])
        yield collection.interface(resp, 'value', item_iid)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("host"); ap.add_argument("-u"); ap.add_argument("-p"); ap.add_argument("-d", default="LAB")
    ap.add_argument('--start'); ap.add_argument('--stop'); ap.add_argument('--commit')
    a = ap.parse_args()
    dcom = DCOMConnection(a.host, a.u, a.p, a.d, authLevel=RPC_C_AUTHN_LEVEL_PKT_PRIVACY, oxidResolver=False)
    try:
        if a.start or a.stop:
            s = Object(dcom.CoCreateInstanceEx(CLSID_SET, IID_SET[:16]), IID_SET)
            s.do(59, (('name', BSTR), ('server', BSTR)), (), name=a.start or a.stop, server=NULL)
            print('before', s.number(33))
            s.do(62 if a.start else 63, (('sync', SHORT),), (), sync=-1)
            print('after', s.number(33))
            return
        if a.commit:
            s = Object(dcom.CoCreateInstanceEx(CLSID_SET, IID_SET[:16]), IID_SET)
            s.do(64, (('xml', BSTR),), (('validation', PMInterfacePointer),), xml='<DataCollectorSet><Name>x</Name></DataCollectorSet>')
            r = s.do(60, (('name', BSTR), ('server', BSTR), ('mode', USHORT)), (('validation', PMInterfacePointer),), name=a.commit, server=NULL, mode=3)
            m = s.interface(r, 'validation', IID_MAP)
            n = m.number(7)
            print('value map of', n)
            for it in walk(m, n, IID_ITEM):
                v = it.do(13, (), (('value', VARIANT),))['value']['_varUnion']['lVal']
                print(' ', it.text(11), hex(v & 0xffffffff))
            return
        c = Object(dcom.CoCreateInstanceEx(CLSID_SETS, IID_SETS[:16]), IID_SETS)
        c.do(14, (('server', BSTR), ('filter', BSTR)), (), server=NULL, filter=NULL)
        n = c.number(7)
        print('count', n)
        for s in walk(c, n, IID_SET):
            x = s.text(52)
            print(s.text(20), s.number(33, USHORT), len(x))
            s.RemRelease()
    finally:
        dcom.disconnect()


main()
