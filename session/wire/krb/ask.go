package krb

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jcmturner/gofork/encoding/asn1"
	"github.com/oiweiwei/gokrb5.fork/v9/crypto"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/flags"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/keyusage"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/msgtype"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/nametype"
	"github.com/oiweiwei/gokrb5.fork/v9/iana/patype"
	"github.com/oiweiwei/gokrb5.fork/v9/keytab"
	"github.com/oiweiwei/gokrb5.fork/v9/messages"
	"github.com/oiweiwei/gokrb5.fork/v9/types"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// Operations, as errors name them.
const (
	opLogOn  = "log on to the realm"
	opTicket = "get a ticket"
)

// lifetime is how long tickets are asked for; the realm may give less.
const lifetime = 10 * time.Hour

// maxReferrals bounds the realms that send us on to others.
const maxReferrals = 5

// ask gets a service's ticket from the realms: with a TGT of the account's realm,
// by way of others where those say so. wanted is the service's realm where it is
// known.
func (c *Client) ask(ctx context.Context, sname types.PrincipalName, wanted string) (*Ticket, error) {
	c.trial = c.Skew()
	tgt, err := c.tgt(ctx)
	if err != nil {
		return nil, err
	}
	realm := tgt.ticket.Realm
	if wanted != "" && wanted != realm {
		if tgt, err = c.service(ctx, tgt, realm, tgtName(wanted)); err != nil {
			return nil, err
		}
		realm = wanted
	}
	for range maxReferrals {
		t, err := c.service(ctx, tgt, realm, sname)
		if err != nil {
			return nil, err
		}
		next := t.ticket.SName.NameString
		if len(next) != 2 || next[0] != "krbtgt" {
			return t, nil
		}
		tgt, realm = t, next[1]
	}
	return nil, &Error{Op: opTicket, Err: errors.New("the realms send us in circles")}
}

func tgtName(realm string) types.PrincipalName {
	return types.PrincipalName{NameType: nametype.KRB_NT_SRV_INST, NameString: []string{"krbtgt", realm}}
}

// tgt gives the account's ticket for getting tickets.
func (c *Client) tgt(ctx context.Context) (*Ticket, error) {
	const kept = "krbtgt"
	if t := c.tickets[kept]; t.usable(c.now()) {
		return t, nil
	}
	t, err := c.cachedTGT()
	if t == nil && err == nil {
		t, err = c.logOn(ctx)
	}
	if err != nil {
		return nil, err
	}
	c.tickets[kept] = t
	return t, nil
}

// secret derives the account's key; a nil one is not known yet.
type secret func(kind int32, hints []types.PAData, cname types.PrincipalName, realm string) (key types.EncryptionKey, kvno int, err error)

var (
	errNoSecret = errors.New("neither password nor keytab")
	errKind     = errors.New("the realm offers no AES for this account")
)

// logOn makes the AS exchange. A wrong password costs one try.
func (c *Client) logOn(ctx context.Context) (*Ticket, error) {
	user, realm, key, done, err := c.account(ctx)
	if err != nil {
		return nil, &Error{Op: opLogOn, Err: err}
	}
	defer done()
	cname := types.PrincipalName{NameType: nametype.KRB_NT_PRINCIPAL, NameString: user}
	for range maxReferrals {
		t, err := c.logOnAt(ctx, realm, cname, key)
		if r, ok := errors.AsType[*refusal](err); ok && r.ErrorCode == codeWrongRealm && r.CRealm != "" && r.CRealm != realm {
			realm = r.CRealm
			continue
		}
		if err == nil {
			return t, nil
		}
		failed := c.failure(opLogOn, err)
		if c.o.Keytab != "" && (failed.Code == codePreauthFailed || errors.Is(err, ErrWrongKey)) {
			failed.Err = ErrStaleKey
		}
		return nil, failed
	}
	return nil, &Error{Op: opLogOn, Code: codeWrongRealm}
}

func (c *Client) logOnAt(ctx context.Context, realm string, cname types.PrincipalName, key secret) (*Ticket, error) {
	req := messages.ASReq{KDCReqFields: c.request(msgtype.KRB_AS_REQ, realm, tgtName(realm))}
	req.ReqBody.CName = cname
	b, err := req.Marshal()
	if err != nil {
		return nil, err
	}
	reply, err := c.exchange(ctx, realm, b)
	if r, ok := errors.AsType[*refusal](err); ok && r.ErrorCode == codePreauthRequired {
		c.lean(r.STime)
		var hints types.PADataSequence
		if err := hints.Unmarshal(r.EData); err != nil {
			return nil, errAnswer
		}
		if req.PAData, err = c.timestamp(hints, cname, realm, key); err != nil {
			return nil, err
		}
		if b, err = req.Marshal(); err != nil {
			return nil, err
		}
		reply, err = c.exchange(ctx, realm, b)
	}
	if err != nil {
		return nil, err
	}
	var rep messages.ASRep
	if err := rep.Unmarshal(reply); err != nil {
		return nil, errAnswer
	}
	k, _, err := key(rep.EncPart.EType, rep.PAData, rep.CName, rep.CRealm)
	if err != nil {
		return nil, err
	}
	return c.accept(&rep.KDCRepFields, &req.ReqBody, k, keyusage.AS_REP_ENCPART)
}

// timestamp is PA-ENC-TIMESTAMP: the time under the account's key.
func (c *Client) timestamp(hints []types.PAData, cname types.PrincipalName, realm string, key secret) ([]types.PAData, error) {
	kind, err := offered(hints)
	if err != nil {
		return nil, err
	}
	k, kvno, err := key(kind, hints, cname, realm)
	if err != nil {
		return nil, err
	}
	now := c.asking().UTC()
	b, err := asn1.Marshal(types.PAEncTSEnc{PATimestamp: now.Truncate(time.Second), PAUSec: now.Nanosecond() / 1000})
	if err != nil {
		return nil, err
	}
	sealed, err := crypto.GetEncryptedData(b, k, keyusage.AS_REQ_PA_ENC_TIMESTAMP, kvno)
	if err != nil {
		return nil, err
	}
	if b, err = sealed.Marshal(); err != nil {
		return nil, err
	}
	return []types.PAData{{PADataType: patype.PA_ENC_TIMESTAMP, PADataValue: b}}, nil
}

// offered is the kind of key that the realm wants of the account.
func offered(hints []types.PAData) (int32, error) {
	for _, pa := range hints {
		if pa.PADataType != patype.PA_ETYPE_INFO2 {
			continue
		}
		info, err := pa.GetETypeInfo2()
		if err != nil {
			return 0, errAnswer
		}
		for _, e := range info {
			if slices.Contains(enctypes, e.EType) {
				return e.EType, nil
			}
		}
	}
	return 0, errKind
}

// account is who logs on and how its key is derived. done wipes the secret.
func (c *Client) account(ctx context.Context) (user []string, realm string, key secret, done func(), err error) {
	user, realm = []string{c.o.User}, c.o.Realm
	if realm == "" {
		realm = c.conf.DefaultRealm
	}
	done = func() {}
	switch {
	case c.o.Keytab != "":
		kt, err := loadKeytab(c.o.Keytab)
		if err != nil {
			return nil, "", nil, nil, fmt.Errorf("read the keytab: %w", err)
		}
		if c.o.User == "" {
			user, realm = kt.Entries[0].Principal.Components, kt.Entries[0].Principal.Realm
		}
		key = func(kind int32, _ []types.PAData, cname types.PrincipalName, realm string) (types.EncryptionKey, int, error) {
			k, kvno, err := kt.GetEncryptionKey(cname, realm, 0, kind)
			if err != nil {
				err = fmt.Errorf("%w of %s@%s", ErrNoKey, cname.PrincipalNameString(), realm)
			}
			return k, kvno, err
		}
	case c.o.Password != nil:
		password, err := c.o.Password(ctx)
		if err != nil {
			return nil, "", nil, nil, fmt.Errorf("password: %w", err)
		}
		done = func() { clear(password) }
		key = func(kind int32, hints []types.PAData, cname types.PrincipalName, realm string) (types.EncryptionKey, int, error) {
			k, err := c.keyOf(string(password), kind, hints, cname, realm)
			return k, 0, err
		}
	default:
		return nil, "", nil, nil, errNoSecret
	}
	if realm == "" {
		return nil, "", nil, nil, ErrNoRealm
	}
	return user, realm, key, done, nil
}

// ErrNoRealm says that nothing tells which realm an account is of.
var ErrNoRealm = errors.New("no realm")

// maxKeytab bounds a file of keys, in bytes.
const maxKeytab = 4 << 20

func loadKeytab(path string) (*keytab.Keytab, error) {
	b, err := osfile.ReadSecret(path, maxKeytab)
	defer clear(b)
	if err != nil {
		return nil, err
	}
	return parseKeytab(b)
}

var (
	errKeytab = errors.New("not a keytab, or a damaged one")
	errNoKeys = errors.New("there are no keys in it")
)

// parseKeytab reads the text of a keytab. What the library says of a damaged one may
// hold its keys, and is not passed on.
func parseKeytab(b []byte) (*keytab.Keytab, error) {
	kt := keytab.New()
	if err := kt.Unmarshal(b); err != nil {
		return nil, errKeytab
	}
	if len(kt.Entries) == 0 {
		return nil, errNoKeys
	}
	return kt, nil
}

// maxIterations bounds the work that a realm may ask for: 250 times the usual.
const maxIterations = 1 << 20

// ErrWeakKey says that a realm asks for a key of so little work that whoever
// sees it used could find the password by trying.
var ErrWeakKey = errors.New("weak key")

// checkWork bounds the iterations that a realm asks for: the string-to-key
// parameters of RFC 3962 4, of which 0 means 2^32.
func (c *Client) checkWork(params []byte) error {
	if len(params) != 4 {
		return fmt.Errorf("%w: %d bytes of key parameters", errAnswer, len(params))
	}
	switch n := binary.BigEndian.Uint32(params); {
	case n == 0 || n > maxIterations:
		return fmt.Errorf("%w: %d iterations", errAnswer, n)
	case n < c.o.MinIterations:
		return failure.Worded(fmt.Sprintf("the realm asks for a key of %d iterations: %d are the fewest", n, c.o.MinIterations), ErrWeakKey)
	}
	return nil
}

// keyOf derives a key from a password with the salt that the realm tells.
func (c *Client) keyOf(password string, kind int32, hints []types.PAData, cname types.PrincipalName, realm string) (types.EncryptionKey, error) {
	et, err := crypto.GetEtype(kind)
	if err != nil || !slices.Contains(enctypes, kind) {
		return types.EncryptionKey{}, errKind
	}
	salt, params := cname.GetSalt(realm), et.GetDefaultStringToKeyParams()
	for _, pa := range hints {
		if pa.PADataType != patype.PA_ETYPE_INFO2 {
			continue
		}
		info, err := pa.GetETypeInfo2()
		if err != nil {
			return types.EncryptionKey{}, errAnswer
		}
		i := slices.IndexFunc(info, func(e types.ETypeInfo2Entry) bool { return e.EType == kind })
		if i < 0 {
			continue
		}
		salt = info[i].Salt
		if p := info[i].S2KParams; len(p) > 0 {
			if err := c.checkWork(p); err != nil {
				return types.EncryptionKey{}, err
			}
			params = hex.EncodeToString(p)
		}
	}
	k, err := c.stringToKey(et, password, salt, params)
	return types.EncryptionKey{KeyType: kind, KeyValue: k}, err
}

// service makes a TGS exchange with the realm of a TGT.
func (c *Client) service(ctx context.Context, tgt *Ticket, realm string, sname types.PrincipalName) (*Ticket, error) {
	t, err := c.serviceOnce(ctx, tgt, realm, sname)
	// A TGT from a cache told nothing of the realm's clock, and an older one nothing
	// of what it is now.
	if r, ok := errors.AsType[*refusal](err); ok && r.ErrorCode == codeSkew && c.lean(r.STime) {
		t, err = c.serviceOnce(ctx, tgt, realm, sname)
	}
	if err != nil {
		return nil, c.failure(opTicket, err)
	}
	return t, nil
}

func (c *Client) serviceOnce(ctx context.Context, tgt *Ticket, realm string, sname types.PrincipalName) (*Ticket, error) {
	req := messages.TGSReq{KDCReqFields: c.request(msgtype.KRB_TGS_REQ, realm, sname)}
	types.SetFlag(&req.ReqBody.KDCOptions, flags.Canonicalize) // so that the realm may refer us to another
	body, err := req.ReqBody.Marshal()
	if err != nil {
		return nil, err
	}
	et, err := crypto.GetEtype(tgt.key.KeyType)
	if err != nil {
		return nil, err
	}
	sum, err := et.GetChecksumHash(tgt.key.KeyValue, body, keyusage.TGS_REQ_PA_TGS_REQ_AP_REQ_AUTHENTICATOR_CHKSUM)
	if err != nil {
		return nil, err
	}
	ap, _, err := tgt.request(c.asking(), types.Checksum{CksumType: et.GetHashID(), Checksum: sum}, types.EncryptionKey{})
	if err != nil {
		return nil, err
	}
	b, err := ap.Marshal()
	if err != nil {
		return nil, err
	}
	req.PAData = types.PADataSequence{{PADataType: patype.PA_TGS_REQ, PADataValue: b}}
	if b, err = req.Marshal(); err != nil {
		return nil, err
	}
	reply, err := c.exchange(ctx, realm, b)
	if err != nil {
		return nil, err
	}
	var rep messages.TGSRep
	if err := rep.Unmarshal(reply); err != nil {
		return nil, errAnswer
	}
	return c.accept(&rep.KDCRepFields, &req.ReqBody, tgt.key, keyusage.TGS_REP_ENCPART_SESSION_KEY)
}

// request is what AS and TGS exchange ask alike.
func (c *Client) request(kind int, realm string, sname types.PrincipalName) messages.KDCReqFields {
	var nonce [4]byte
	rand.Read(nonce[:])
	return messages.KDCReqFields{PVNO: 5, MsgType: kind, ReqBody: messages.KDCReqBody{
		KDCOptions: types.NewKrbFlags(),
		Realm:      realm,
		SName:      sname,
		Till:       c.asking().Add(lifetime).UTC(),
		Nonce:      int(binary.BigEndian.Uint32(nonce[:]) >> 1),
		EType:      enctypes,
	}}
}

// accept decrypts the answer of an exchange and checks that it answers this
// request.
func (c *Client) accept(rep *messages.KDCRepFields, req *messages.KDCReqBody, key types.EncryptionKey, usage uint32) (*Ticket, error) {
	b, err := crypto.DecryptEncPart(rep.EncPart, key, usage)
	if err != nil {
		return nil, ErrWrongKey
	}
	var part messages.EncKDCRepPart
	if err := part.Unmarshal(b); err != nil {
		return nil, errAnswer
	}
	referral := usage == keyusage.TGS_REP_ENCPART_SESSION_KEY && len(part.SName.NameString) == 2 && part.SName.NameString[0] == "krbtgt"
	switch {
	case part.Nonce != req.Nonce:
		return nil, fmt.Errorf("%w: it answers another request", errAnswer)
	case !referral && !slices.EqualFunc(part.SName.NameString, req.SName.NameString, strings.EqualFold):
		return nil, fmt.Errorf("%w: it is for another service", errAnswer)
	case !slices.Contains(enctypes, part.Key.KeyType):
		return nil, errKind
	}
	if usage == keyusage.AS_REP_ENCPART {
		c.sync(part.AuthTime)
	} else {
		c.settle()
	}
	return &Ticket{ticket: rep.Ticket, key: part.Key, client: rep.CName, realm: rep.CRealm, endTime: part.EndTime, from: c}, nil
}

// What is wrong with an account's key: it does not fit the realm's answer, which is what a wrong
// password looks like to who asks no pre-authentication; it was one of a keytab; or the keytab has none.
var (
	ErrWrongKey = errors.New("the realm's answer cannot be deciphered: wrong password or key")
	ErrStaleKey = failure.Worded("the keys in the keytab are not those that the account has now", ErrWrongKey)
	ErrNoKey    = errors.New("the keytab has no key that is spoken")
)
