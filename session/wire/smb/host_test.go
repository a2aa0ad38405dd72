package smb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"perfdeck/cooker"
)

// reply is what a scripted host answers to one request.
type reply struct {
	status  Status
	body    []byte
	change  func(msg []byte) // of the whole message before it is signed
	plain   bool             // neither signed nor encrypted
	session uint64           // 0: the usual
}

// scripted is a host that answers each request by the next line of its script,
// with what belongs around it. It runs in the client's goroutine.
type scripted struct {
	net.Conn

	client *conn
	script []reply
	out    bytes.Buffer
	asked  []command
}

// usualSession is the id of a scripted host's session.
const usualSession = 77

func (h *scripted) Write(b []byte) (int, error) {
	msg := b[4:]
	sealed := string(msg[:4]) == "\xfdSMB"
	if sealed {
		sealing := h.client.sealing
		opened, err := (&sealer{in: sealing.out}).open(slices.Clone(msg), h.client.session)
		if err != nil {
			return 0, err
		}
		msg = opened
	}
	cmd, id := command(binary.LittleEndian.Uint16(msg[12:])), binary.LittleEndian.Uint64(msg[24:])
	h.asked = append(h.asked, cmd)
	if len(h.script) == 0 {
		return len(b), nil
	}
	r := h.script[0]
	h.script = h.script[1:]
	keys := h.client.protection
	if cmd == cmdSessionSetup && r.status == statusOK { // its answer is signed already
		if keys.dialect == Dialect311 {
			keys.hash(msg)
		}
		_ = keys.deriveKeys(new(fixedLogon).SessionKey())
	}
	keys.sealed = sealed || keys.sealed
	h.answer(&keys, cmd, id, r)
	return len(b), nil
}

// answer answers with the keys of c.
func (h *scripted) answer(c *protection, cmd command, id uint64, r reply) {
	head := header{command: cmd, credits: 1, flags: flagResponse, id: id, tree: 5, session: usualSession}
	if r.session != 0 {
		head.session = r.session
	}
	sign := c.signing != nil && !r.plain
	if sign {
		head.flags |= flagSigned
	}
	msg := append(head.append(nil), r.body...)
	binary.LittleEndian.PutUint32(msg[8:], uint32(r.status))
	if r.change != nil {
		r.change(msg)
	}
	switch {
	case sign && c.sealed:
		framed := append(make([]byte, 4+transformSize), msg...)
		framed = (&sealer{out: c.sealing.in, nonce: uint64(len(h.asked))}).seal(framed, 4, usualSession)
		msg = framed[4:]
	case sign:
		copy(msg[signatureAt:], c.signing(msg))
	}
	h.out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(msg))))
	h.out.Write(msg)
}

func (h *scripted) Read(b []byte) (int, error) {
	if h.out.Len() == 0 {
		return 0, io.EOF
	}
	return h.out.Read(b)
}

func (h *scripted) Close() error { return nil }

// fixedLogon is a log-on of one message with a known key.
type fixedLogon struct{ steps int }

var errStep = errors.New("one step too many")

func (l *fixedLogon) Step([]byte) ([]byte, bool, error) {
	if l.steps++; l.steps > 3 {
		return nil, false, errStep
	}
	return []byte("token"), true, nil
}

func (l *fixedLogon) SessionKey() []byte { return count(1, 32) }

func options() Options {
	return Options{Server: "srv1", Logon: &fixedLogon{}}
}

// The bodies of a host that lets the client in.

func negotiated(d Dialect, capabilities uint32) []byte {
	b := make([]byte, 64)
	binary.LittleEndian.PutUint16(b, 65)
	binary.LittleEndian.PutUint16(b[2:], 1)
	binary.LittleEndian.PutUint16(b[4:], uint16(d))
	copy(b[8:], "GUID of the host")
	binary.LittleEndian.PutUint32(b[24:], capabilities)
	binary.LittleEndian.PutUint64(b[40:], cooker.FileTime(time.Unix(1_700_000_000, 0)))
	return b
}

// negotiated311 adds the contexts of 3.1.1.
func negotiated311(cipher cipherID) []byte {
	b := negotiated(Dialect311, 0)
	binary.LittleEndian.PutUint16(b[6:], 2)
	binary.LittleEndian.PutUint32(b[60:], headerSize+64)
	b = append(append32(append16(b, contextPreauth, 6), 0), 1, 0, 0, 0, 1, 0, 0, 0)
	return append(append32(append16(b, contextEncryption, 4), 0), 1, 0, byte(cipher), 0)
}

func sessionOf(flags uint16) []byte { return append(append16(nil, 9, flags, headerSize+8, 0), 0) }

func treeOf(kind byte, flags uint32) []byte {
	return append32(append(append16(nil, 16), kind, 0), flags, 0, 0)
}

func validated(d Dialect, capabilities uint32) []byte {
	n := negotiated(d, capabilities)
	out := binary.LittleEndian.AppendUint32(nil, capabilities)
	out = append(out, n[8:24]...)
	out = append16(out, 1, uint16(d))
	return controlled(out)
}

// controlled is an answer to a control.
func controlled(out []byte) []byte {
	b := append(append32(append16(nil, 49, 0), 0), make([]byte, 16)...)
	b = append32(b, 0, 0, headerSize+48, uint32(len(out)), 0, 0)
	return append(b, out...)
}

func readOf(data []byte) []byte {
	b := append(append16(nil, 17), headerSize+16, 0)
	return append(append32(b, uint32(len(data)), 0, 0), data...)
}

func created() []byte { return make([]byte, 89) }

func script(d Dialect) []reply {
	return []reply{
		{body: negotiated(d, capEncryption)}, {body: sessionOf(0)}, {body: treeOf(sharePipe, 0)}, {body: validated(d, capEncryption)}, {body: created()},
	}
}

func script311() []reply {
	return []reply{{body: negotiated311(cipherAES128GCM)}, {body: sessionOf(0)}, {body: treeOf(sharePipe, 0)}, {body: created()}}
}

func hostOf(r ...reply) *scripted {
	h := &scripted{script: r}
	h.client = newConn(h)
	return h
}

// The rest of net.Conn, for nobody.

func (h *scripted) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (h *scripted) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (h *scripted) SetDeadline(time.Time) error      { return nil }
func (h *scripted) SetReadDeadline(time.Time) error  { return nil }
func (h *scripted) SetWriteDeadline(time.Time) error { return nil }
