package replay

import (
	"regexp"
	"slices"
	"sync"

	"perfdeck/session"
)

// kernelOwner is the process of Linux that owns all threads of its kernel. Windows has no
// process of this name, and a container sees none of them.
const kernelOwner = "kthreadd"

// kernelThreads are names of threads of Linux's kernel, a slash as paths write it: those of
// many, or that are busy now and then. Where who owns a process was recorded that decides.
var kernelThreads = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:kthreadd|pool_workqueue_.*|(?:kworker|ksoftirqd|migration|cpuhp|idle_inject|irq|jbd2|scsi_eh|scsi_tmf|xfsaild|nvme\d+|psimon|rcu[a-z]*)_.*` +
		`|(?:kswapd|kcompactd|khubd|loop)\d*|(?:xfs|ext4|btrfs|zfs|dm|md\d*|kcryptd|card\d+|zswap|edac|ipv6|mld|nvme|nfsd4?|cifs)-.*` +
		`|kauditd|khungtaskd|oom_reaper|writeback|ksmd|khugepaged|kintegrityd|kblockd|blkcg_punt_bio|kdevtmpfs|kthrotld|mm_percpu_wq|slub_flushwq|netns|inet_frag_wq` +
		`|watchdogd|ata_sff|tpm_dev_wq|devfreq_wq|ipv6_addrconf|kstrp|mld|cryptd|hwrng|kpsmoused|kdmflush|charger_manager|md|md_bitmap|kdamond.*)$`)
})

// findKernel marks threads of the kernel by their names, where a recording has that of who owns
// them: screens show them of no live host either.
func (s *setColumns) findKernel() {
	s.kernel = -1
	if !session.IsOfProcesses(s.set.InEnglish()) {
		return
	}
	s.kernel = slices.IndexFunc(s.instances, func(in session.Instance) bool { return in.Key.Name == kernelOwner && in.Index == 0 })
	if s.kernel < 0 {
		return
	}
	for i := range s.instances {
		if in := &s.instances[i]; kernelThreads().MatchString(in.Key.Name) {
			in.Flags |= kernelFlags
		}
	}
}

const kernelFlags = session.FlagBackground | session.FlagTask

// noteKernel marks threads of the kernel by who owns them, where that was recorded.
func (p *plan) noteKernel() {
	if p.cols.kernel < 0 || p.cols.number < 0 || p.cols.owner < 0 {
		return
	}
	at := slices.IndexFunc(p.rows, func(r planRow) bool { return r.index == p.cols.kernel })
	if at < 0 || p.rows[at].Number == 0 {
		return
	}
	owner := p.rows[at].Number
	for i := range p.rows {
		switch r := &p.rows[i]; {
		case r.Number == 0: // its number is not known
		case r.Number == owner || r.Owner == owner:
			r.Flags |= kernelFlags
		default:
			r.Flags &^= kernelFlags
		}
	}
}
