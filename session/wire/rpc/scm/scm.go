// Package scm asks the service manager of a Windows host (MS-SCMR) what there is and how it stands.
// Nothing is ever started, stopped or changed: no such right is asked for.
package scm

import (
	"context"
	"errors"

	scmr "github.com/oiweiwei/go-msrpc/msrpc/scmr/svcctl/v2"
	"github.com/oiweiwei/go-msrpc/ndr"

	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
)

// Conn is a connection with rpc.MSSCMR; an *rpc.Client is one.
type Conn interface {
	Generated(ctx context.Context, i rpc.Interface, name string, in rpc.Generated, out ndr.Unmarshaler, most int) error
}

// Rights that are asked for, MS-SCMR 3.1.4.
const (
	mayConnect, mayList = 1, 4
	mayReadConfig       = 1
)

// codeMoreData says that there is more than fits, MS-ERREF 2.2.
const codeMoreData = 234

// deniedCure is for managers that list nothing for the account.
const deniedCure = "listing services over the network needs an administrator, or the right to enumerate on scmanager"

// Manager is an open service manager.
type Manager struct {
	conn   Conn
	host   string
	handle *scmr.Handle
	isOld  bool   // it has no REnumServicesStatusExW
	size   uint32 // that was enough for its list
}

// Open opens the service manager of a host, which errors name, to list services.
func Open(ctx context.Context, host string, conn Conn) (*Manager, error) {
	m := &Manager{conn: conn, host: host}
	var r scmr.OpenSCMWResponse
	const op = "open the service manager"
	err := m.call(ctx, op, &scmr.OpenSCMWRequest{DatabaseName: "ServicesActive", DesiredAccess: mayConnect | mayList}, &r, mostHandle)
	if err == nil {
		err = m.result(op, r.Return)
	}
	if err != nil {
		return nil, Cured(err)
	}
	m.handle = r.SCM
	return m, nil
}

// Bounds of replies, bytes.
const (
	mostHandle  = 64
	mostBuffer  = 256 << 10
	leastBuffer = 16 << 10
	spare       = 4 << 10 // for what comes until it is asked again
	mostConfig  = 8 << 10
)

func (m *Manager) call(ctx context.Context, op string, in rpc.Generated, out ndr.Unmarshaler, most int) error {
	return m.conn.Generated(ctx, rpc.MSSCMR, op, in, out, most)
}

// result is the error of what a method ended with.
func (m *Manager) result(op string, code uint32) error {
	if code == 0 {
		return nil
	}
	return &rpc.Error{Op: op, Host: m.host, Code: rpc.Code(code)}
}

// Cured is why services are not listed, with what gives the right to.
func Cured(err error) error {
	if rpc.CodeOf(err).IsDenied() && !rpc.IsWrongPassword(err) {
		return failure.WithHint(err, deniedCure)
	}
	return err
}

// part is one answer to the question for the list.
type part struct {
	op                             uint16
	buffer                         []byte
	needed, returned, resume, code uint32
}

const listOp = "list services"

// List gives all services that run in processes, in the order of the host. It takes two calls at
// first, and one as long as the list does not grow much.
func (m *Manager) List(ctx context.Context) ([]Service, error) {
	const mostParts = 64
	var list []Service
	var resume uint32
	for range mostParts {
		p, err := m.part(ctx, m.size, resume)
		if err != nil {
			return nil, Cured(err)
		}
		if p.code != 0 && p.code != codeMoreData {
			return nil, Cured(m.result(listOp, p.code))
		}
		if list, err = p.services(list); err != nil {
			return nil, &rpc.Error{Op: listOp, Host: m.host, Err: err}
		}
		if p.code == 0 {
			return list, nil
		}
		if resume = p.resume; p.returned == 0 && m.size == mostBuffer {
			break // nothing fits
		}
		size := uint64(p.needed) + spare
		if p.returned > 0 { // what is needed is the rest
			size += uint64(m.size)
		}
		m.size = uint32(min(max(size, uint64(m.size), leastBuffer), mostBuffer))
	}
	return nil, &rpc.Error{Op: listOp, Host: m.host, Err: errNoEnd}
}

var errNoEnd = errors.New("the list does not end")

// The methods that list, MS-SCMR 3.1.4.
const (
	OpOldList = 14 // without processes
	OpList    = 42
)

// part asks for a part of the list, by the method that the host has.
func (m *Manager) part(ctx context.Context, size, resume uint32) (p part, err error) {
	const (
		inProcesses = 0x30 // SERVICE_WIN32
		all         = 3    // SERVICE_STATE_ALL
		around      = 64   // bytes of a reply
	)
	if !m.isOld {
		in := &scmr.EnumServicesStatusExWRequest{ServiceManager: m.handle, ServiceType: inProcesses, ServiceState: all, BufferLength: size, ResumeIndex: resume}
		p, err = partOf(OpList, func(out ndr.Unmarshaler) error { return m.call(ctx, listOp, in, out, int(size)+around) })
		if m.isOld = rpc.CodeOf(err) == rpc.FaultOpRange; !m.isOld {
			return p, err
		}
	}
	in := &scmr.EnumServicesStatusWRequest{ServiceManager: m.handle, ServiceType: inProcesses, ServiceState: all, BufferLength: size, ResumeIndex: resume}
	return partOf(OpOldList, func(out ndr.Unmarshaler) error { return m.call(ctx, listOp, in, out, int(size)+around) })
}

// partOf is what a method's reply has.
func partOf(op uint16, read func(ndr.Unmarshaler) error) (part, error) {
	if op == OpList {
		var r scmr.EnumServicesStatusExWResponse
		err := read(&r)
		return part{op, r.Buffer, r.BytesNeededLength, r.ServicesReturned, r.ResumeIndex, r.Return}, err
	}
	var r scmr.EnumServicesStatusWResponse
	err := read(&r)
	return part{op, r.Buffer, r.BytesNeededLength, r.ServicesReturned, r.ResumeIndex, r.Return}, err
}

// ReadList reads the stub of a reply to a method that lists.
func ReadList(op uint16, stub []byte) ([]Service, error) {
	p, err := partOf(op, func(out ndr.Unmarshaler) error { return rpc.ReadGenerated(stub, out) })
	if err != nil {
		return nil, err
	}
	return p.services(nil)
}

// Config is how a service is to start.
type Config struct {
	Start     uint32 // MS-SCMR 2.2.15: 2 automatic, 3 on demand, 4 disabled
	IsDelayed bool   // automatic, some minutes later
}

const configOp = "read a service's configuration"

// Config reads how a service is to start. What is denied of one service is denied there alone.
func (m *Manager) Config(ctx context.Context, name string) (c Config, err error) {
	err = m.with(ctx, name, func(service *scmr.Handle) error {
		var r scmr.QueryServiceConfigWResponse
		if err := m.call(ctx, configOp, &scmr.QueryServiceConfigWRequest{Service: service, BufferLength: mostConfig}, &r, 3*mostConfig); err != nil {
			return err
		}
		if err := m.result(configOp, r.Return); err != nil {
			return err
		}
		const automatic = 2
		if c.Start = r.ServiceConfig.StartType; c.Start != automatic {
			return nil
		}
		const (
			delayed = 3  // SERVICE_CONFIG_DELAYED_AUTO_START_INFO
			size    = 16 // bytes
		)
		var d scmr.QueryServiceConfig2WResponse
		if err := m.call(ctx, configOp, &scmr.QueryServiceConfig2WRequest{Service: service, InfoLevel: delayed, BufferLength: size}, &d, 2*size+32); err != nil {
			return err
		}
		c.IsDelayed = d.Return == 0 && len(d.Buffer) > 0 && d.Buffer[0] != 0 // what has no such level delays nothing
		return nil
	})
	return c, err
}

// HasTriggers tells whether a service is started, or stopped, by something that happens.
func (m *Manager) HasTriggers(ctx context.Context, name string) (has bool, err error) {
	const (
		triggers = 8 // SERVICE_CONFIG_TRIGGER_INFO
		most     = 64 << 10
	)
	err = m.with(ctx, name, func(service *scmr.Handle) error {
		var r scmr.QueryServiceConfigExResponse
		if err := m.call(ctx, configOp, &scmr.QueryServiceConfigExRequest{Service: service, InfoLevel: triggers}, &r, most); err != nil {
			return err
		}
		if err := m.result(configOp, r.Return); err != nil {
			return err
		}
		if t, ok := r.Info.ConfigInfoW.GetValue().(*scmr.ServiceTriggerInfo); ok && t != nil {
			has = len(t.Triggers) > 0
		}
		return nil
	})
	return has, err
}

// with opens a service to read its configuration.
func (m *Manager) with(ctx context.Context, name string, do func(*scmr.Handle) error) error {
	var r scmr.OpenServiceWResponse
	if err := m.call(ctx, configOp, &scmr.OpenServiceWRequest{ServiceManager: m.handle, ServiceName: name, DesiredAccess: mayReadConfig}, &r, mostHandle); err != nil {
		return err
	}
	if err := m.result(configOp, r.Return); err != nil {
		return err
	}
	err := do(r.Service)
	if closed := m.close(ctx, r.Service); err == nil {
		err = closed
	}
	return err
}

// Close gives the manager back.
func (m *Manager) Close(ctx context.Context) error { return m.close(ctx, m.handle) }

func (m *Manager) close(ctx context.Context, h *scmr.Handle) error {
	return m.call(ctx, "close a service", &scmr.CloseServiceRequest{ServiceObject: h}, &scmr.CloseServiceResponse{}, mostHandle)
}
