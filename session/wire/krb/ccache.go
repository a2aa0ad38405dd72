package krb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oiweiwei/gokrb5.fork/v9/types"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// cacheEntry is one ticket of a credential cache.
type cacheEntry struct {
	client, server types.PrincipalName
	realm          string // of the client
	serverRealm    string
	key            types.EncryptionKey
	endTime        time.Time
	ticket         []byte
}

// maxCache bounds a credential cache, in bytes.
const maxCache = 4 << 20

var (
	errCache     = errors.New("not a credential cache, or a damaged one")
	errCacheKind = errors.New("only credential caches in files and folders can be read")
)

// Why a cache is of no use.
var (
	ErrExpired  = errors.New("the ticket in the credential cache has expired")
	ErrNoTicket = errors.New("the credential cache has no ticket of this account")
)

// entries reads the cache of the options; none where there is none.
func (c *Client) entries() ([]cacheEntry, error) {
	if c.o.CCache == "" {
		return nil, nil
	}
	path, err := cacheFile(c.o.CCache)
	if err != nil {
		return nil, err
	}
	b, err := osfile.ReadSecret(path, maxCache)
	if err != nil {
		return nil, err
	}
	return parseCache(b)
}

// cacheFile is the file of a credential cache by its name, as MIT's library has them (krb5
// admin documentation, "Credential cache"): those in files, and in folders, of which a file
// says which is the one in use. Others are in memory that perfdeck does not read.
func cacheFile(name string) (path string, err error) {
	kind, path, named := strings.Cut(name, ":")
	switch {
	case !named || len(kind) < 2: // a path, of a drive maybe
		return name, nil
	case kind == "FILE":
		return path, nil
	case kind != "DIR":
		return "", failure.WithHint(fmt.Errorf("%w, not %s", errCacheKind, kind), fmt.Sprintf("kinit -c FILE:/tmp/krb5cc_%d puts the tickets into a file, and --ccache /tmp/krb5cc_%[1]d has it read", os.Getuid()))
	}
	if file, isOne := strings.CutPrefix(path, ":"); isOne {
		return file, nil
	}
	const usual = "tkt"
	b, err := osfile.ReadSecret(filepath.Join(path, "primary"), maxName)
	if errors.Is(err, fs.ErrNotExist) {
		return filepath.Join(path, usual), nil
	}
	primary := strings.TrimSpace(string(b))
	if err == nil && (!strings.HasPrefix(primary, usual) || filepath.Base(primary) != primary) {
		err = errCache
	}
	return filepath.Join(path, primary), err
}

// maxName bounds the name of a file, in bytes.
const maxName = 255

// cached finds the ticket of a service in the cache.
func (c *Client) cached(sname types.PrincipalName) (*Ticket, error) {
	entries, err := c.entries()
	if err != nil {
		return nil, &Error{Op: "read the credential cache", Err: err}
	}
	t, _ := c.pick(entries, sname.NameString)
	return t, nil
}

// cachedTGT finds the account's TGT in the cache. A cache is the only source of
// tickets where one is used.
func (c *Client) cachedTGT() (*Ticket, error) {
	if c.o.CCache == "" {
		return nil, nil
	}
	entries, err := c.entries()
	if err != nil {
		return nil, &Error{Op: "read the credential cache", Err: err}
	}
	t, expired := c.pick(entries, nil)
	switch {
	case t != nil:
		return t, nil
	case expired:
		return nil, &Error{Op: opTicket, Err: ErrExpired}
	}
	return nil, &Error{Op: opTicket, Err: ErrNoTicket}
}

// pick finds a ticket of the account for a service; without one, a TGT of the
// account's realm. expired tells of one that cannot be used any more.
func (c *Client) pick(entries []cacheEntry, service []string) (t *Ticket, expired bool) {
	for _, e := range entries {
		want := service
		if want == nil {
			want = []string{"krbtgt", e.realm}
		}
		if c.o.User != "" && !strings.EqualFold(e.client.PrincipalNameString(), c.o.User) || !slices.EqualFunc(e.server.NameString, want, strings.EqualFold) {
			continue
		}
		found := &Ticket{key: e.key, client: e.client, realm: e.realm, endTime: e.endTime, from: c}
		if err := found.ticket.Unmarshal(e.ticket); err != nil || !slices.Contains(enctypes, e.key.KeyType) {
			continue
		}
		if found.usable(c.now()) {
			return found, false
		}
		expired = true
	}
	return nil, expired
}

// parseCache reads the format of MIT's library, versions 3 and 4.
func parseCache(b []byte) ([]cacheEntry, error) {
	d := &cacheReader{b: b}
	if len(b) < 2 || b[0] != 5 || b[1] != 3 && b[1] != 4 {
		return nil, errCache
	}
	version := b[1]
	d.b = b[2:]
	if version == 4 {
		d.take(uint32(d.u16()))
	}
	d.principal()
	var out []cacheEntry
	for len(d.b) > 0 && !d.bad {
		var e cacheEntry
		e.client, e.realm = d.principal()
		e.server, e.serverRealm = d.principal()
		e.key.KeyType = int32(d.u16())
		if version == 3 {
			d.u16() // the kind again
		}
		e.key.KeyValue = d.data()
		d.take(8)
		e.endTime = time.Unix(int64(d.u32()), 0)
		d.take(4 + 1 + 4) // renewal, session key, flags
		for range 2 {     // addresses and authorization data
			for n := d.u32(); n > 0 && !d.bad; n-- {
				d.u16()
				d.data()
			}
		}
		e.ticket = d.data()
		d.data()
		if !d.bad && !strings.HasPrefix(e.serverRealm, "X-CACHECONF") {
			out = append(out, e)
		}
	}
	if d.bad {
		return nil, errCache
	}
	return out, nil
}

// cacheReader reads big-endian fields. After the first that is cut off it is bad.
type cacheReader struct {
	b   []byte
	bad bool
}

func (d *cacheReader) take(n uint32) []byte {
	if d.bad || uint64(n) > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *cacheReader) u16() uint16 {
	if b := d.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (d *cacheReader) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (d *cacheReader) data() []byte { return d.take(d.u32()) }

func (d *cacheReader) principal() (name types.PrincipalName, realm string) {
	name.NameType = int32(d.u32())
	n := d.u32()
	realm = string(d.data())
	for ; n > 0 && !d.bad; n-- {
		name.NameString = append(name.NameString, string(d.data()))
	}
	return name, realm
}
