package service

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// bus is a connection to a D-Bus (D-Bus Specification 0.43). Questions are encoded by godbus;
// its connection and its decoder are not used: they believe any length, read in a goroutine that
// nobody guards, and wait for ever.
type bus struct {
	conn   net.Conn
	in     *bufio.Reader
	serial uint32
}

// Bounds of what the other side may send.
const (
	mostAnswer = 2 << 20 // bytes of a message: some 8,000 units
	mostOthers = 64      // messages before the answer that nobody asked for
	mostLine   = 512
)

var errBus = errors.New("the bus does not keep to its protocol")

// dialBus connects to a bus and logs on as the user that this runs as. The connection ends with
// the context, whatever it waits for.
func dialBus(ctx context.Context, path string) (*bus, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	b := &bus{conn: conn, in: bufio.NewReaderSize(conn, mostLine)}
	context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	if err = b.logOn(); err != nil {
		_ = conn.Close()
		return nil, b.why(ctx, err)
	}
	return b, nil
}

func (b *bus) logOn() error {
	uid := hex.EncodeToString([]byte(strconv.Itoa(os.Getuid())))
	if _, err := b.conn.Write([]byte("\x00AUTH EXTERNAL " + uid + "\r\n")); err != nil {
		return err
	}
	line, err := b.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return errBus
	case err != nil:
		return err
	case bytes.HasPrefix(line, []byte("REJECTED")):
		return fmt.Errorf("log on to the bus: %w", session.ErrDenied)
	case !bytes.HasPrefix(line, []byte("OK ")):
		return errBus
	}
	if _, err := b.conn.Write([]byte("BEGIN\r\n")); err != nil {
		return err
	}
	const name = "org.freedesktop.DBus"
	_, err = b.call(question{to: name, path: "/org/freedesktop/DBus", of: name, member: "Hello"})
	return err
}

// question is a call of a method.
type question struct {
	to, path, of, member string
	args                 []any
}

// call asks one question.
func (b *bus) call(q question) (*message, error) {
	out, err := b.ask([]question{q})
	if err != nil {
		return nil, err
	}
	return out[0], out[0].refusal()
}

// ask asks several questions at once.
func (b *bus) ask(list []question) ([]*message, error) {
	var out bytes.Buffer
	first := b.serial + 1
	for i := range list {
		if err := b.write(&out, &list[i]); err != nil {
			return nil, err
		}
	}
	if _, err := b.conn.Write(out.Bytes()); err != nil {
		return nil, err
	}
	answers := make([]*message, len(list))
	for left, read := len(list), 0; left > 0; read++ {
		if read > len(list)+mostOthers {
			return nil, errBus
		}
		m, err := readMessage(b.in)
		if err != nil {
			return nil, err
		}
		if at := m.to - first; m.isAnswer && at < uint32(len(list)) && answers[at] == nil {
			answers[at] = m
			left--
		}
	}
	return answers, nil
}

// write adds a question. godbus leaves the serial number to its own connection.
func (b *bus) write(out *bytes.Buffer, q *question) error {
	message := dbus.Message{Type: dbus.TypeMethodCall, Flags: dbus.FlagNoAutoStart, Body: q.args, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldDestination: dbus.MakeVariant(q.to), dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath(q.path)),
		dbus.FieldInterface: dbus.MakeVariant(q.of), dbus.FieldMember: dbus.MakeVariant(q.member),
	}}
	if len(q.args) > 0 {
		message.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(q.args...))
	}
	const serialAt = 8
	begin := out.Len()
	if err := message.EncodeTo(out, binary.LittleEndian); err != nil {
		return err
	}
	b.serial++
	binary.LittleEndian.PutUint32(out.Bytes()[begin+serialAt:], b.serial)
	return nil
}

// message is what matters of one that came.
type message struct {
	isError   bool
	isAnswer  bool
	to        uint32 // serial number of the question
	errorName string
	signature string // of the body
	body      []byte
	order     binary.ByteOrder
}

// readMessage reads one message, of which no length is believed that is beyond our bounds.
func readMessage(in io.Reader) (*message, error) {
	const fixed, align = 16, 8 // bytes that tell how many follow
	head := make([]byte, fixed)
	if _, err := io.ReadFull(in, head); err != nil {
		return nil, err
	}
	m := &message{order: binary.LittleEndian}
	if head[0] == 'B' {
		m.order = binary.BigEndian
	}
	body, fields := m.order.Uint32(head[4:]), m.order.Uint32(head[12:])
	if body > mostAnswer || fields > mostAnswer {
		return nil, fmt.Errorf("%w: a message of %d bytes", errBus, uint64(body)+uint64(fields))
	}
	rest := make([]byte, (fields+align-1)/align*align+body)
	if _, err := io.ReadFull(in, rest); err != nil {
		return nil, err
	}
	m.body = rest[len(rest)-int(body):]
	kind := dbus.Type(head[1])
	m.isError, m.isAnswer = kind == dbus.TypeError, kind == dbus.TypeError || kind == dbus.TypeMethodReply
	c := cursor{data: rest[:fields], order: m.order}
	for c.more() {
		c.align(align)
		field := c.take(1)
		switch v := c.variant().(type) {
		case uint32:
			if dbus.HeaderField(field[0]) == dbus.FieldReplySerial {
				m.to = v
			}
		case string:
			switch dbus.HeaderField(field[0]) {
			case dbus.FieldErrorName:
				m.errorName = v
			case dbus.FieldSignature:
				m.signature = v
			}
		}
	}
	if c.isBad {
		return nil, errBus
	}
	return m, nil
}

// content is a cursor on the body.
func (m *message) content() *cursor { return &cursor{data: m.body, order: m.order} }

// refusal is why a question was not answered; nil: it was.
func (m *message) refusal() error {
	switch {
	case !m.isError:
		return nil
	case strings.HasSuffix(m.errorName, ".AccessDenied"):
		return session.ErrDenied
	}
	said := m.errorName
	if strings.HasPrefix(m.signature, "s") {
		said = m.content().text()
	}
	return errors.New(printable.Shorten(printable.Text(said), mostName))
}

// cursor reads what is marshalled. Beyond its end, and where a type is not of those that
// are read, it is bad, and gives nothing any more.
type cursor struct {
	data  []byte
	at    int
	order binary.ByteOrder
	isBad bool
}

func (c *cursor) more() bool { return !c.isBad && c.at < len(c.data) }

func (c *cursor) align(to int) { c.at = (c.at + to - 1) / to * to }

// take gives so many bytes, of a number aligned to itself; of a bad cursor some that are zero.
func (c *cursor) take(n int) []byte {
	if c.isBad || c.at > len(c.data) || n > len(c.data)-c.at {
		c.isBad = true
		return make([]byte, min(n, 8))
	}
	c.at += n
	return c.data[c.at-n : c.at]
}

func (c *cursor) uint32() uint32 {
	c.align(4)
	return c.order.Uint32(c.take(4))
}

func (c *cursor) text() string {
	n := c.uint32()
	if c.isBad || n > mostAnswer {
		c.isBad = true
		return ""
	}
	return c.ended(int(n))
}

// ended is a text of so many bytes, with the zero behind it.
func (c *cursor) ended(n int) string {
	text := c.take(n + 1)
	if c.isBad {
		return ""
	}
	return string(text[:n])
}

// variant is one of the types that are asked for: a number or a text.
func (c *cursor) variant() any {
	switch kind := c.ended(int(c.take(1)[0])); kind {
	case "s", "o":
		return c.text()
	case "g":
		return c.ended(int(c.take(1)[0]))
	case "u":
		return c.uint32()
	case "i":
		return int32(c.uint32())
	case "t":
		c.align(8)
		return c.order.Uint64(c.take(8))
	}
	c.isBad = true
	return nil
}

// why is what is said of an error: of a bus that did not answer in time, that.
func (b *bus) why(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New("the bus does not answer")
	}
	return err
}

func (b *bus) Close() error { return b.conn.Close() }
