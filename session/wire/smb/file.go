package smb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"perfdeck/session/wire/perflib"
)

// Share is a share of files, of which nothing is ever changed.
type Share struct {
	s    *Session
	tree *tree
}

// Share connects to a share of files.
func (s *Session) Share(ctx context.Context, name string) (*Share, error) {
	t, err := s.connect(ctx, name, shareDisk)
	if err != nil {
		return nil, err
	}
	return &Share{s, t}, nil
}

// Entry is a file or a folder of a share. Its name is foreign.
type Entry struct {
	Name    string
	Size    int64
	Created time.Time
	Written time.Time
	Folder  bool
	Link    bool // or another reparse point: it leads elsewhere
}

// Attributes of files, MS-FSCC 2.6.
const (
	attributeFolder = 0x10
	attributeLink   = 0x400
)

// What is opened, MS-SMB2 2.2.13.
const (
	accessList = 0x00100081 // FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES, SYNCHRONIZE
	accessRead = 0x00120089 // FILE_GENERIC_READ

	sharedByAll = 7 // a log that is being written is open for that

	openFolder = 0x01
	openFile   = 0x40
	openLink   = 0x00200000 // itself, and not what it leads to
)

// ErrLink is why something is not opened that leads elsewhere.
var ErrLink = errors.New("it is a link")

// ErrManyEntries is why a folder is not listed.
var ErrManyEntries = errors.New("there is too much in it")

// open opens a file or a folder by its path from the share on.
func (s *Share) open(ctx context.Context, path string, access, kind uint32) (*File, error) {
	u, stop := s.s.c.within(ctx)
	defer stop()
	a, err := s.s.c.create(u, s.tree, path, access, sharedByAll, kind|openLink)
	if err != nil {
		return nil, &Error{Opened, "open " + path, err}
	}
	b, err := a.fixed(88)
	if err != nil {
		return nil, err
	}
	f := &File{opened: opened{s: s.s, tree: s.tree, file: fileID(b[64:80])}}
	s.s.join()
	f.set(b[8:], binary.LittleEndian.Uint64(b[48:]), binary.LittleEndian.Uint32(b[56:]))
	f.Name = path
	if f.Link {
		_ = f.Close()
		return nil, &Error{Opened, "open " + path, ErrLink}
	}
	return f, nil
}

// set takes what a host says of a file: four times, its size, its attributes.
func (e *Entry) set(times []byte, size uint64, attributes uint32) {
	e.Created, e.Written = fromFiletime(binary.LittleEndian.Uint64(times)), fromFiletime(binary.LittleEndian.Uint64(times[16:]))
	e.Size = int64(min(size, 1<<63-1))
	e.Folder, e.Link = attributes&attributeFolder != 0, attributes&attributeLink != 0
}

// List lists a folder, of at most so many entries. The path has backslashes; empty is that of
// the share.
func (s *Share) List(ctx context.Context, path string, most int) ([]Entry, error) {
	f, err := s.open(ctx, path, accessList, openFolder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = f.Close() })
	defer stop()
	var list []Entry
	for range most + 3 { // each part has an entry, two of them the folder and that above it
		const directoryInformation = 1
		b := append(append16(nil, 33), directoryInformation, 0)
		b = append(append32(b, 0), f.file[:]...)
		b = append32(append16(b, headerSize+32, 2), maxPayload)
		a, err := s.s.c.exchange(&f.user, s.tree, cmdQueryFolder, append16(b, '*'))
		switch {
		case errors.Is(err, statusNoMore):
			return list, nil
		case err != nil && ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, &Error{Opened, "list " + path, err}
		}
		head, err := a.fixed(8)
		if err != nil {
			return nil, err
		}
		part, err := a.part(uint32(binary.LittleEndian.Uint16(head[2:])), binary.LittleEndian.Uint32(head[4:]))
		if err != nil {
			return nil, err
		}
		if list, err = appendEntries(list, part, most); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: folder without an end", errDamaged)
}

// appendEntries reads a part of a listing, MS-FSCC 2.4.10.
func appendEntries(list []Entry, b []byte, most int) ([]Entry, error) {
	const fixed, mostName = 64, 2 * 255 // bytes, MS-FSCC 2.1.5
	for {
		if len(b) < fixed {
			return nil, fmt.Errorf("%w: folder", errDamaged)
		}
		next, n := binary.LittleEndian.Uint32(b), uint64(binary.LittleEndian.Uint32(b[60:]))
		if n > mostName || n+fixed > uint64(len(b)) || n%2 != 0 || next != 0 && (uint64(next) < fixed+n || uint64(next) > uint64(len(b))) {
			return nil, fmt.Errorf("%w: entry of a folder", errDamaged)
		}
		e := Entry{Name: perflib.Text(b[fixed : fixed+n]).String()}
		e.set(b[8:], binary.LittleEndian.Uint64(b[40:]), binary.LittleEndian.Uint32(b[56:]))
		if e.Name != "." && e.Name != ".." {
			list = append(list, e)
		}
		if len(list) > most {
			return nil, fmt.Errorf("%w: more than %d files and folders", ErrManyEntries, most)
		}
		if next == 0 {
			return list, nil
		}
		b = b[next:]
	}
}

// File is an open file, with what it was when it was opened.
type File struct {
	opened
	Entry
}

// Open opens a file for reading.
func (s *Share) Open(ctx context.Context, path string) (*File, error) {
	f, err := s.open(ctx, path, accessRead, openFile)
	if err == nil && f.Folder {
		_ = f.Close()
		err = fmt.Errorf("%w: a folder for a file", errDamaged)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

const (
	readsUnderWay = 16
	silence       = 30 * time.Second // after which nothing more is expected
)

// ErrShrank is why a file is not read to the end that it had.
var ErrShrank = errors.New("the file is shorter than it was when it was opened")

// Copy writes to w what the file holds from an offset on, and tells how much that was. Many
// reads are under way at once, as far as the host and other users let us. The file may grow
// meanwhile: its end is that at its opening.
func (f *File) Copy(ctx context.Context, w io.Writer, from int64) (n int64, err error) {
	c := f.s.c
	c.mu.Lock()
	c.largest = max(c.largest, mostRead+maxMessage-maxPayload)
	c.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { c.end(&f.user, context.Cause(ctx)) })
	defer stop()
	waits, stopWatching := c.watch(&f.user)
	defer stopWatching()
	type read struct {
		*request
		size int
	}
	var under []read
	var body []byte
	for at := from; at < f.Size || len(under) > 0; {
		for at < f.Size && len(under) < readsUnderWay {
			room := c.room(&f.user)
			if room < 1 && len(under) > 0 {
				break
			}
			size := min(f.s.c.server.maxRead, maxPayload*max(room, 1), int(min(f.Size-at, mostRead)))
			body = appendRead(body[:0], f.file, uint64(at), size)
			r, err := c.send(&f.user, f.tree, cmdRead, (size+maxPayload-1)/maxPayload, body)
			if err != nil {
				return n, err
			}
			under = append(under, read{r, size})
			at += int64(size)
		}
		waits(true)
		data, err := c.dataOf(under[0].request)
		waits(false)
		if err == nil && len(data) < under[0].size || errors.Is(err, statusEndOfFile) {
			err = ErrShrank
		}
		if err == nil && len(data) > under[0].size {
			err = fmt.Errorf("%w: %d bytes for %d", errDamaged, len(data), under[0].size)
		}
		if err != nil {
			return n, err
		}
		written, err := w.Write(data)
		n += int64(written)
		if err != nil {
			return n, err
		}
		under = under[1:]
	}
	return n, nil
}

// watch ends a user for whom nothing comes while it waits. A slow line may take its time for an
// answer.
func (c *conn) watch(u *user) (waits func(bool), stop func()) {
	var waiting, stopped atomic.Bool
	var again func(came int64)
	again = func(before int64) {
		time.AfterFunc(silence, func() {
			came := c.came.Load()
			switch {
			case stopped.Load():
			case came == before && waiting.Load():
				c.end(u, os.ErrDeadlineExceeded)
			default:
				again(came)
			}
		})
	}
	again(c.came.Load())
	return waiting.Store, func() { stopped.Store(true) }
}
