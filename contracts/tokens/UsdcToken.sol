// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {IERC3009} from "../IERC3009.sol";

/// @title A test coin with what USDC offers: permit, ERC-3009 (both in both forms) and a blacklist
/// @notice For local chains only: anybody mints and anybody edits the blacklist. Like USDC it keeps the blacklist in the
///         highest bit of the balance's slot, so that gas measured with it means something.
contract UsdcToken is IERC20, EIP712, Nonces, IERC20Permit, IERC3009 {
    string public constant name = "USD Coin";
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;
    string public constant version = "2";
    uint256 private constant BLACKLISTED = 1 << 255;

    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);
    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);

    error Blacklist(address account);
    error DeadlinePassed(uint256 timestamp, uint256 deadline);
    error AuthorizationNotYetValid(uint256 timestamp, uint256 validAfter);
    error AuthorizationExpired(uint256 timestamp, uint256 validBefore);
    error AuthorizationAlreadyUsed(address authorizer, bytes32 nonce);
    error CallerNotPayee(address caller, address payee);
    error InvalidSignature(address signer);
    error AllowanceTooLow(uint256 current, uint256 asked);
    error BalanceTooLow(uint256 current, uint256 asked);

    uint256 public totalSupply;
    mapping(address account => uint256) private _slots;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    constructor() EIP712("USD Coin", "2") {}

    function mint(address to, uint256 value) external {
        totalSupply += value;
        _slots[to] = _spendable(to) + value;
        emit Transfer(address(0), to, value);
    }

    function blacklist(address account) external {
        _slots[account] |= BLACKLISTED;
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external {
        _slots[account] &= ~BLACKLISTED;
        emit UnBlacklisted(account);
    }

    function isBlacklisted(address account) external view returns (bool) {
        return _slots[account] >= BLACKLISTED;
    }

    function balanceOf(address account) external view returns (uint256) {
        return _slots[account] & ~BLACKLISTED;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        _approve(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        _spendable(msg.sender);
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < value) revert AllowanceTooLow(allowed, value);
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _transfer(from, to, value);
        return true;
    }

    function nonces(address owner) public view override(IERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }

    // The standard's name.
    // forge-lint: disable-next-line(mixed-case-function)
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        _requireKeySigned(owner, _usePermit(owner, spender, value, deadline), v, r, s);
        _approve(owner, spender, value);
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes calldata signature)
        external
    {
        _requireSigned(owner, _usePermit(owner, spender, value, deadline), signature);
        _approve(owner, spender, value);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 hash = _useAuthorization(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce);
        _requireKeySigned(from, hash, v, r, s);
        _transfer(from, to, value);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        bytes32 hash = _useAuthorization(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce);
        _requireSigned(from, hash, signature);
        _transfer(from, to, value);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (msg.sender != to) revert CallerNotPayee(msg.sender, to);
        bytes32 hash = _useAuthorization(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce);
        _requireKeySigned(from, hash, v, r, s);
        _transfer(from, to, value);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        if (msg.sender != to) revert CallerNotPayee(msg.sender, to);
        bytes32 hash = _useAuthorization(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce);
        _requireSigned(from, hash, signature);
        _transfer(from, to, value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes calldata signature) external {
        _requireUnused(authorizer, nonce);
        _requireSigned(
            authorizer,
            _hashTypedDataV4(keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce))),
            signature
        );
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    /// @dev A blacklisted account's slot has the highest bit set; the others' slot is their balance.
    function _spendable(address account) private view returns (uint256 balance) {
        balance = _slots[account];
        if (balance >= BLACKLISTED) revert Blacklist(account);
    }

    function _transfer(address from, address to, uint256 value) private {
        uint256 balance = _spendable(from);
        if (balance < value) revert BalanceTooLow(balance, value);
        uint256 received = _spendable(to);
        if (from == to) received -= value;
        unchecked {
            // No balance exceeds the supply, which mint keeps from overflowing.
            _slots[from] = balance - value;
            _slots[to] = received + value;
        }
        emit Transfer(from, to, value);
    }

    function _approve(address owner, address spender, uint256 value) private {
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    function _usePermit(address owner, address spender, uint256 value, uint256 deadline) private returns (bytes32) {
        if (block.timestamp > deadline) revert DeadlinePassed(block.timestamp, deadline);
        return _hashTypedDataV4(
            keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, _useNonce(owner), deadline))
        );
    }

    /// @dev Checks and uses up an authorization; returns the digest whose signature the caller checks.
    function _useAuthorization(
        bytes32 typeHash,
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce
    ) private returns (bytes32) {
        if (block.timestamp <= validAfter) revert AuthorizationNotYetValid(block.timestamp, validAfter);
        if (block.timestamp >= validBefore) revert AuthorizationExpired(block.timestamp, validBefore);
        _requireUnused(from, nonce);
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        return _hashTypedDataV4(keccak256(abi.encode(typeHash, from, to, value, validAfter, validBefore, nonce)));
    }

    function _requireUnused(address authorizer, bytes32 nonce) private view {
        if (authorizationState[authorizer][nonce]) revert AuthorizationAlreadyUsed(authorizer, nonce);
    }

    /// @dev A key's signature first; an account with code may sign by ERC-1271, in 65 bytes too.
    function _requireKeySigned(address signer, bytes32 hash, uint8 v, bytes32 r, bytes32 s) private view {
        (address recovered, ECDSA.RecoverError failure,) = ECDSA.tryRecover(hash, v, r, s);
        if (failure == ECDSA.RecoverError.NoError && recovered == signer) return;
        if (!SignatureChecker.isValidERC1271SignatureNow(signer, hash, abi.encodePacked(r, s, v))) {
            revert InvalidSignature(signer);
        }
    }

    function _requireSigned(address signer, bytes32 hash, bytes memory signature) private view {
        if (!SignatureChecker.isValidSignatureNow(signer, hash, signature)) revert InvalidSignature(signer);
    }
}
