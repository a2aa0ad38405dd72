package local

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// pressures reads Pressure Stall Information.
type pressures struct {
	options *Options
	files   []pressureFile
}

type pressureFile struct {
	name string
	kernelFile
	absent  bool // when it was looked for last
	checked time.Duration
}

// there says that the kernel has the file. One that it does not have is looked
// for again only now and then.
func (p *pressureFile) there(now time.Duration) bool {
	return !p.absent || now-p.checked >= recheck
}

func newPressures(t *tick) collector {
	p := &pressures{options: t.options}
	for _, name := range []string{"cpu", "io", "memory", "irq"} { // they wait for the kernel's worker that makes averages
		p.files = append(p.files, pressureFile{name: name, kernelFile: mayWait(t.proc("pressure/" + name))})
	}
	return newMany(pressureCounters, p, false).holdTo(&t.pace, stalled)
}

// read lists the resources of which the kernel knows; a kernel without any is
// an error of the set.
func (p *pressures) read(f *found[pressure]) error {
	var last error = unix.ENOENT
	now := p.options.Monotonic()
	for i := range p.files {
		file := &p.files[i]
		if !file.there(now) {
			continue
		}
		data, err := file.read()
		file.absent = errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP)
		if file.absent {
			file.checked, last = now, err
			continue
		}
		state := f.instance("", file.name, 0)
		state.parse(data)
		state.why = absent(err)
	}
	if len(f.list) == 0 {
		return readError("pressure", last)
	}
	return nil
}

func (p *pressures) close() {
	for i := range p.files {
		p.files[i].close()
	}
}
