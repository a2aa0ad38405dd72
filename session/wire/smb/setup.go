package smb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"perfdeck/session/wire/perflib"
)

// Flags of a session and of a share, MS-SMB2 2.2.6 and 2.2.10.
const (
	sessionGuest     = 1
	sessionAnonymous = 2
	sessionEncrypt   = 4
	shareEncrypt     = 0x8000
	shareDisk        = 1
	sharePipe        = 2
)

// ErrGuest is why a session is refused that the host opened for nobody in
// particular: the account that was named did not log on.
var ErrGuest = errors.New("the host let the account in as a guest only")

// ErrLongToken is why a log-on is not tried whose message no field can hold, as
// of a ticket for an account in hundreds of groups.
var ErrLongToken = errors.New("the log-on's message is too long")

var errLogon = errors.New("the host ends the log-on before it is done")

// maxSteps bounds the messages of a log-on.
const maxSteps = 8

// setUp logs on and derives the session's keys.
func (c *conn) setUp(o *Options) error {
	token, done, err := o.Logon.Step(nil)
	for range maxSteps {
		if err != nil {
			return err
		}
		a, raw, err := c.setUpOnce(token)
		if err != nil {
			return err
		}
		c.session = a.session
		flags, answer, err := setUpAnswer(a)
		if err != nil {
			return err
		}
		if a.status == statusMoreProcessing {
			if done && len(answer) == 0 {
				return errLogon
			}
			if token, done, err = o.Logon.Step(answer); err != nil {
				return err
			}
			if c.dialect == Dialect311 {
				c.hash(raw)
			}
			continue
		}
		if flags&(sessionGuest|sessionAnonymous) != 0 {
			return ErrGuest
		}
		if len(answer) > 0 {
			if _, done, err = o.Logon.Step(answer); err != nil {
				return err
			}
		}
		if !done {
			return errLogon
		}
		return c.begin(o, raw, a.flags, flags)
	}
	return fmt.Errorf("%w: the log-on does not end", errDamaged)
}

// setUpOnce makes one SESSION_SETUP. raw is its answer as it came.
func (c *conn) setUpOnce(token []byte) (a *answer, raw []byte, err error) {
	const fixed = 24
	if len(token) > maxPayload-headerSize-fixed {
		return nil, nil, fmt.Errorf("%w: %d bytes", ErrLongToken, len(token))
	}
	b := append16(nil, 25)
	b = append(b, 0, signingRequired)
	b = append32(b, 0, 0)
	b = append16(b, headerSize+fixed, uint16(len(token)))
	b = append(append(b, make([]byte, 8)...), token...)
	r, err := c.send(&user{}, nil, cmdSessionSetup, 1, b)
	if err != nil {
		return nil, nil, err
	}
	if c.dialect == Dialect311 {
		c.hash(c.sent[4:])
	}
	if a, err = c.answerTo(r); err != nil {
		return nil, nil, err
	}
	if a.status != statusOK && a.status != statusMoreProcessing {
		return nil, nil, a.status
	}
	return a, slices.Clone(a.msg), nil
}

func setUpAnswer(a *answer) (flags uint16, token []byte, err error) {
	b, err := a.fixed(8)
	if err != nil {
		return 0, nil, err
	}
	token, err = a.part(uint32(binary.LittleEndian.Uint16(b[4:])), uint32(binary.LittleEndian.Uint16(b[6:])))
	return binary.LittleEndian.Uint16(b[2:]), slices.Clone(token), err
}

// begin checks that the last answer is signed by who knows the session's key,
// and protects everything from here.
func (c *conn) begin(o *Options, last []byte, flags uint32, session uint16) error {
	if err := c.deriveKeys(o.Logon.SessionKey()); err != nil {
		return err
	}
	if flags&flagSigned == 0 || !verify(c.checking, last) {
		return ErrUnprotected
	}
	c.sealed = session&sessionEncrypt != 0 || o.Encrypt
	if c.sealed && c.sealing == nil {
		return ErrNoEncryption
	}
	return nil
}

// tree is a share that is connected to.
type tree struct {
	id     uint32
	kind   byte
	sealed bool // its messages are encrypted
}

// connectTree connects to a share.
func (c *conn) connectTree(u *user, server, share string, kind byte) (*tree, error) {
	path := perflib.UTF16(`\\` + server + `\` + share)
	b := append16(nil, 9, 0, headerSize+8, uint16(len(path)))
	a, err := c.exchange(u, nil, cmdTreeConnect, append(b, path...))
	if err != nil {
		return nil, err
	}
	if b, err = a.fixed(16); err != nil {
		return nil, err
	}
	t := &tree{id: a.tree, kind: b[2], sealed: binary.LittleEndian.Uint32(b[4:])&shareEncrypt != 0}
	switch {
	case t.kind != kind:
		return nil, fmt.Errorf("%w: share of type %d", errDamaged, t.kind)
	case t.sealed && c.sealing == nil:
		return nil, ErrNoEncryption
	}
	return t, nil
}

var errDowngrade = errors.New("the SMB negotiation was changed on its way")

// validate asks, signed, what was negotiated, so that nobody could make the two
// ends choose less than they can, MS-SMB2 3.2.5.5. 3.1.1 has its hash for that.
func (c *conn) validate(u *user, t *tree, dialects []Dialect) error {
	if c.dialect == Dialect311 {
		return nil
	}
	in := append32(nil, capOurs)
	in = append(in, c.offer[12:28]...)
	in = append16(in, signingRequired, uint16(len(dialects)))
	for _, d := range dialects {
		in = append16(in, uint16(d))
	}
	out, err := c.control(u, t, appendControl(nil, fsctlValidate, noFile, in, 24), 24)
	if _, refused := errors.AsType[Status](err); refused && c.dialect < Dialect300 {
		return nil // signed: a host that is too old to know
	}
	if err != nil {
		return err
	}
	if len(out) < 24 || binary.LittleEndian.Uint32(out) != c.server.capabilities || [16]byte(out[4:20]) != c.server.guid ||
		binary.LittleEndian.Uint16(out[20:]) != c.server.mode || Dialect(binary.LittleEndian.Uint16(out[22:])) != c.dialect {
		return errDowngrade
	}
	return nil
}
