package session

// Rows remembers the rows of the views of one counterset, so that only those that are
// new have to be matched by name.
type Rows struct {
	ids   []rowID
	known bool
}

// rowID tells a row of a view from others.
type rowID struct {
	key   InstanceKey
	index uint32
}

// GoneRow stands for a row that is not there any more.
const GoneRow = -1

// Known tells that there was a view.
func (r *Rows) Known() bool { return r.known }

// Same tells whether the rows of a view are those of the one before.
func (r *Rows) Same(v *SetView) bool {
	if !r.known || len(v.Rows) != len(r.ids) {
		return false
	}
	for i := range r.ids {
		if row := &v.Rows[i]; row.Key != r.ids[i].key || row.Index != r.ids[i].index || row.Gone {
			return false
		}
	}
	return true
}

// Next goes on to a view. It tells where the rows of the view before are now, and
// which are new.
func (r *Rows) Next(v *SetView) (moved, added []int) {
	moved = make([]int, len(r.ids))
	var old map[rowID]int
	next := 0
	for i := range moved {
		moved[i] = GoneRow
	}
	for i := range v.Rows {
		id := rowID{v.Rows[i].Key, v.Rows[i].Index}
		if v.Rows[i].Gone {
			continue
		}
		if next < len(r.ids) && r.ids[next] == id {
			moved[next] = i
			next++
			continue
		}
		if old == nil {
			old = make(map[rowID]int, len(r.ids))
			for j, o := range r.ids {
				old[o] = j
			}
		}
		if j, ok := old[id]; ok {
			moved[j] = i
			next = j + 1
		} else {
			added = append(added, i)
		}
	}
	r.known, r.ids = true, r.ids[:0]
	for i := range v.Rows {
		r.ids = append(r.ids, rowID{v.Rows[i].Key, v.Rows[i].Index})
	}
	return moved, added
}
