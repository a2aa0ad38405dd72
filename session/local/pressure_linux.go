package local

import (
	"errors"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
)

// pressures reads Pressure Stall Information.
type pressures struct {
	files []pressureFile
}

type pressureFile struct {
	name string
	kept
}

func newPressures(t *tick) collector {
	p := &pressures{}
	for _, name := range []string{"cpu", "io", "memory", "irq"} {
		p.files = append(p.files, pressureFile{name, t.proc("pressure/" + name)})
	}
	return newMany(pressureCounters, p, false)
}

// read lists the resources of which the kernel knows; a kernel without any is
// an error of the set.
func (p *pressures) read(f *found[pressure], _ cooker.Clocks) error {
	var last error
	for i := range p.files {
		file := &p.files[i]
		data, err := file.read()
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) {
			last = err
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
