package server

import (
	"context"
	"net"
	"runtime"
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
	"perfdeck/session/wire/sidechannel"
)

// StreamOptions say what is served over a stream. Those without a default must be set.
type StreamOptions struct {
	// Source is what is published, all of it. Nobody else may use it while
	// ServeStream runs; the caller closes it.
	Source  session.Source
	Program string        // version, as the other side is told
	Idle    time.Duration // between calls, default 10 minutes
	// Report hears why the stream ended early. Nil: nobody does.
	Report func(peer net.Addr, err error)
}

// ServeStream publishes all countersets over one stream, whose other end needs no
// log-on: it is whoever may run programs as this user. It returns when the stream
// ends.
func ServeStream(ctx context.Context, stream net.Conn, o StreamOptions) error {
	cat, err := catalogueOf(ctx, o.Source)
	if err != nil {
		_ = stream.Close()
		return err
	}
	h := publish(o.Source, cat, func(string) bool { return true })
	rpc.ServeStream(ctx, stream, rpc.ServerOptions{Idle: o.Idle, Report: o.Report, Connect: func() rpc.Session {
		return &streamed{connection: h.connect(), program: o.Program, replies: sidechannel.Replies{}}
	}})
	return nil
}

// streamed is the session of a stream: the methods of MS-PCQ and those beside it.
type streamed struct {
	*connection

	program string
	query   session.Query                 // of the rows that were asked about; nil: none yet
	asked   *counterset                   // what it reads
	known   map[sidechannel.RowID]rowInfo // rows of the last time
	batch   session.Batch

	replies sidechannel.Replies // that changes are told from
	reply   []byte              // the newest, for its memory

	events map[uint32]*eventsRead // by the number that the other side gave each
}

// rowInfo is an instance of the last time.
type rowInfo struct {
	at  int // in the batch
	key session.InstanceKey
}

// Describe implements rpc.Beside.
func (s *streamed) Describe(_ context.Context, inSize uint32) (rpc.Array, error) {
	d := sidechannel.Description{Version: sidechannel.Version, Program: s.program, System: runtime.GOOS + "/" + runtime.GOARCH, Facts: map[string][]string{}, Changes: true}
	_, d.Events = s.handler.source.(session.EventSource)
	for _, set := range s.handler.sets {
		if len(set.set.Facts) > 0 {
			d.Facts[set.info.GUID.String()] = set.set.Facts
		}
	}
	if w, ok := s.handler.source.(session.Warner); ok {
		for _, note := range w.Warnings() {
			d.Notes = append(d.Notes, note.Error())
		}
	}
	return answer(sidechannel.Encode(d), 1, inSize), nil
}

// AskRows implements rpc.Beside.
func (s *streamed) AskRows(ctx context.Context, question []byte, inSize uint32) (rpc.Array, error) {
	q, err := sidechannel.ParseQuestion(question)
	if err != nil {
		return rpc.Array{Code: rpc.CodeInvalidParameter}, nil
	}
	guid, err := perflib.ParseGUID(q.Set)
	set := s.handler.byGUID[guid]
	if err != nil || set == nil {
		return rpc.Array{Code: rpc.CodeGUIDNotFound}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	b, err := s.rows(ctx, set, q)
	if err != nil {
		s.drop()
		return rpc.Array{Code: codeOf(err, rpc.CodeNoData)}, nil
	}
	return answer(sidechannel.Encode(s.answer(b, q)), 1, inSize), nil
}

// rows reads the instances that are asked about. Facts are asked of a source by the
// instances that it named before, so those that are new take two readings.
func (s *streamed) rows(ctx context.Context, set *counterset, q *sidechannel.Question) (*session.SetBatch, error) {
	if s.query == nil {
		query, err := s.handler.open(ctx)
		if err != nil {
			return nil, err
		}
		s.query = query
	}
	if s.asked != set {
		s.asked, s.known = set, nil
	}
	keys, all := s.keysOf(q)
	b, err := s.read(ctx, set, q.Keys, keys)
	if err != nil || all || len(q.Keys) == 0 {
		return b, err
	}
	if more, _ := s.keysOf(q); len(more) > len(keys) {
		return s.read(ctx, set, q.Keys, more)
	}
	return b, nil
}

// keysOf are the instances that a question is about, as the source names them, and
// whether all of them are known.
func (s *streamed) keysOf(q *sidechannel.Question) (keys []session.InstanceKey, all bool) {
	for _, id := range q.Rows {
		if info, ok := s.known[id]; ok {
			keys = append(keys, info.key)
		}
	}
	return keys, len(keys) == len(q.Rows)
}

// read reads all instances of a set, and facts of some.
func (s *streamed) read(ctx context.Context, set *counterset, facts []string, of []session.InstanceKey) (*session.SetBatch, error) {
	want := session.Want{Set: set.set, Facts: session.FactWant{Keys: facts, Rows: of}}
	b, err := readSet(ctx, s.query, want, &s.batch)
	if err != nil {
		return nil, err
	}
	r := reading{set: set}
	s.known = make(map[sidechannel.RowID]rowInfo, len(b.Instances))
	for i := range b.Instances {
		row := r.newRow(&b.Instances[i].Key)
		s.known[sidechannel.RowID{ID: row.id, Name: row.text.String()}] = rowInfo{i, row.key}
	}
	return b, nil
}

// answer is what was read of the instances that are asked about.
func (s *streamed) answer(b *session.SetBatch, q *sidechannel.Question) sidechannel.Answer {
	a := sidechannel.Answer{Rows: make([]*sidechannel.Row, len(q.Rows))}
	for i, id := range q.Rows {
		info, ok := s.known[id]
		if !ok {
			continue
		}
		in := &b.Instances[info.at]
		row := &sidechannel.Row{
			Number: in.Number, Owner: in.Owner,
			Hidden: in.Flags&session.FlagBackground != 0, Idle: in.Flags&session.FlagIdle != 0,
		}
		if n := len(q.Keys); n > 0 && len(b.Facts) == n*len(b.Instances) {
			row.Facts = b.Facts[info.at*n : info.at*n+n]
		}
		a.Rows[i] = row
	}
	return a
}

// CollectChange implements rpc.Beside.
func (s *streamed) CollectChange(ctx context.Context, question []byte, inSize uint32, dst []byte) (rpc.Array, error) {
	q, ok := sidechannel.ParseCollection(question)
	if !ok || inSize < sidechannel.MaxGrowth || q.Size > inSize-sidechannel.MaxGrowth {
		return rpc.Array{Code: rpc.CodeInvalidParameter}, nil
	}
	a, err := s.QueryCounterData(ctx, q.Handle, q.Size, s.reply)
	if err != nil || a.Code != rpc.CodeOK {
		return a, err
	}
	s.reply = a.Data
	a.Data = sidechannel.AppendChange(dst[:0], s.replies[q.Handle], s.reply)
	s.replies.Keep(q.Handle, s.reply)
	if len(s.reply) > mostKeptReply {
		s.reply = nil
	}
	return a, nil
}

// mostKeptReply is the longest buffer that is kept for the next reply, in bytes.
const mostKeptReply = 2 << 20

// CloseQueryHandle implements rpc.PerflibV2.
func (s *streamed) CloseQueryHandle(ctx context.Context, h rpc.Handle) (rpc.Handle, rpc.Code, error) {
	delete(s.replies, h)
	return s.connection.CloseQueryHandle(ctx, h)
}

func (s *streamed) drop() {
	if s.query != nil {
		_ = s.query.Close() // of reading only: nothing can be lost
		s.query, s.asked, s.known = nil, nil, nil
	}
}

// Close implements rpc.Session.
func (s *streamed) Close() {
	s.drop()
	for _, r := range s.events {
		r.close()
	}
	s.connection.Close()
}

var _ rpc.SideChannel = (*streamed)(nil)
