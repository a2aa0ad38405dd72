package journal

import (
	"bytes"
	"os"

	"perfdeck/session/alert"
	"perfdeck/session/system/osfile"
)

// Acts gives what users did in other processes since the last call. Without news
// it costs one look at the file's size.
func (j *Journal) Acts() ([]alert.Event, error) {
	j.mu.Lock()
	info, err := os.Stat(j.file(fileName))
	same := err != nil || j.last != nil && os.SameFile(info, j.last) && info.Size() == j.read
	j.mu.Unlock()
	if same {
		return nil, nil
	}
	var acts []alert.Event
	err = j.locked(func() error {
		from := j.read
		if now, err := os.Stat(j.file(fileName)); err != nil || j.last == nil || !os.SameFile(now, j.last) || now.Size() < from {
			from = 0 // it was written anew
		}
		data, err := j.readFrom(from)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(data) {
			r, ok := parse(line)
			if !ok || r.Event == nil || r.Writer == j.writer || r.Event.Seq <= j.seen[r.Writer] {
				continue
			}
			j.seen[r.Writer] = r.Event.Seq
			if r.Event.Kind.IsAct() {
				acts = append(acts, *r.Event)
			}
		}
		return nil
	})
	return acts, err
}

// Lead tries to be the process that runs actions, and tells whether it is. It
// stays so until Close, or until it ends in any other way.
func (j *Journal) Lead() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lead != nil {
		return true
	}
	f, err := os.OpenFile(j.file(leadName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false
	}
	if osfile.Lock(f) != nil {
		_ = f.Close()
		return false
	}
	j.lead = f
	return true
}

// Close lets another process lead.
func (j *Journal) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lead != nil {
		osfile.Unlock(j.lead)
		_ = j.lead.Close()
		j.lead = nil
	}
}
