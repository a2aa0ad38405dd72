package local

import (
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"perfdeck/cooker"
)

// logicalDisks reads LogicalDisk.
type logicalDisks struct {
	options *Options
	stats   kernelFile
	mounts  kernelFile
	checked time.Duration
	volumes []volume
	spaces  map[string]*latest[spaceAnswer] // by mount point
}

type volume struct {
	mount
	device uint64
}

type spaceAnswer struct {
	space
	why cooker.Status
}

func newLogicalDisks(t *tick) collector {
	m := newMany(logicalDiskCounters, &logicalDisks{
		options: t.options, stats: t.records("diskstats", diskRecord),
		mounts: mayWait(t.records("self/mountinfo", anySize)), // for who mounts
		spaces: make(map[string]*latest[spaceAnswer]),
	}, true)
	m.found.named = volumeName
	m.again = func(d *disk) bool { return d.again }
	return m
}

func (d *logicalDisks) read(f *found[disk]) error {
	if now := d.options.Monotonic(); d.volumes == nil || now-d.checked >= recheck {
		if err := d.findVolumes(); err != nil {
			return err
		}
		d.checked = now
	}
	for i := range d.volumes {
		v := &d.volumes[i]
		state := f.instance("", v.point, v.device)
		again := slices.ContainsFunc(d.volumes[:i], func(o volume) bool { return o.device == v.device }) // subvolumes
		*state = disk{again: again, time100ns: f.clocks.Time100ns, n: state.n, idle: state.idle, spaceWhy: cooker.Pending}
		if f.needs&needSpace != 0 {
			d.readSpace(v, state)
		}
	}
	if f.needs&needRequests == 0 {
		return nil
	}
	data, _ := d.stats.read() // without it, space is still there
	for l := range lines(data) {
		var stats diskLine
		if !stats.parse(l) {
			continue
		}
		for i := range d.volumes {
			if v := &d.volumes[i]; v.device == stats.device() {
				f.instance("", v.point, v.device).add(&stats.n, stats.columns, f.clocks.Time100ns)
			}
		}
	}
	return nil
}

func (d *logicalDisks) findVolumes() error {
	data, err := d.mounts.read()
	if err != nil {
		return readError("self/mountinfo", err)
	}
	d.volumes = d.volumes[:0]
	spaces := make(map[string]*latest[spaceAnswer])
	for _, m := range volumes(data) {
		v := volume{mount: m, device: deviceNumber(m.major, m.minor)}
		if m.major == 0 {
			// Not a device of its own: that of the source, if it is one.
			v.device = sourceDevice(m.source, v.device)
		}
		d.volumes = append(d.volumes, v)
		spaces[m.point] = d.spaces[m.point]
		if spaces[m.point] == nil {
			spaces[m.point] = new(latest[spaceAnswer])
		}
	}
	d.spaces = spaces
	return nil
}

func sourceDevice(path string, otherwise uint64) uint64 {
	var st unix.Stat_t
	if len(path) == 0 || path[0] != '/' || unix.Stat(path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return otherwise
	}
	dev := uint64(st.Rdev) //nolint:unconvert // 32 bits wide on some architectures
	return deviceNumber(uint64(unix.Major(dev)), uint64(unix.Minor(dev)))
}

// readSpace is the last answer of statfs, which may hang for ever on a
// volume whose device went away.
func (d *logicalDisks) readSpace(v *volume, state *disk) {
	point := v.point
	answer, ok := d.spaces[point].get(d.options, recheck, func() spaceAnswer { return statSpace(point) })
	if ok {
		state.space, state.spaceWhy = answer.space, answer.why
	}
}

func statSpace(point string) spaceAnswer {
	var s unix.Statfs_t
	if err := unix.Statfs(point, &s); err != nil {
		if os.IsNotExist(err) {
			return spaceAnswer{why: cooker.Gone}
		}
		return spaceAnswer{why: statusOf(err)}
	}
	block := uint64(s.Bsize)
	if s.Frsize > 0 {
		block = uint64(s.Frsize)
	}
	usable := grown(s.Bfree, s.Blocks) + s.Bavail
	return spaceAnswer{space: space{available: s.Bavail * block, usable: usable * block}}
}

func (d *logicalDisks) close() {
	d.stats.close()
	d.mounts.close()
}
