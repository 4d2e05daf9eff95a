//! The conditions of a source file, and what each can be made instead.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::{Context, Result};
use syn::parse::Parser;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, ExprMacro, Lit, Pat, ReturnType, Stmt, Token, Type, UnOp};

use super::scope;

/// One condition made another one.
pub struct Site {
    /// The bytes of the condition in the file.
    pub range: Range<usize>,
    /// What becomes of it.
    pub change: Change,
    /// The function it is in, with the type whose method that is; the name of the rule where it is one's.
    pub function: String,
    /// The line it begins in.
    pub line: usize,
}

/// What becomes of a condition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It always holds, or never.
    Force(bool),
    /// It holds when it did not.
    Negate,
    /// The text at a place in it becomes another one.
    Instead { from: usize, to: usize, text: &'static str },
    /// A number in it is this one.
    Number(u128),
    /// The statement is not executed.
    Skip,
}

/// Where a condition stands, which says what making it constant does.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Place {
    /// All of a condition.
    Whole,
    /// One of several that have to hold: not to ask for it is the mistake.
    Conjunct,
    /// One of several that suffice: not to look at it is the mistake.
    Disjunct,
}

/// Methods whose closure says what is meant.
const PREDICATES: &[&str] = &[
    "all",
    "any",
    "filter",
    "find",
    "is_none_or",
    "is_ok_and",
    "is_some_and",
    "partition",
    "position",
    "retain",
    "skip_while",
    "take_while",
];

/// Methods of what may be a condition.
const OF_CONDITIONS: &[&str] = &["then", "then_some"];

/// Finds the conditions of a file that can be made wrong.
///
/// # Errors
/// The file cannot be parsed.
pub fn find(file: &str, source: &str) -> Result<Vec<Site>> {
    let tree = syn::parse_file(source).with_context(|| format!("cannot parse {file}"))?;
    let mut finder = Finder {
        file,
        source,
        lines: source.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at).collect(),
        names: Vec::new(),
        constant: false,
        seen: BTreeSet::new(),
        sites: Vec::new(),
    };
    finder.visit_file(&tree);
    finder.sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end), site.change.clone()));
    Ok(finder.sites)
}

struct Finder<'s> {
    file: &'s str,
    source: &'s str,
    /// Where lines end.
    lines: Vec<usize>,
    /// What the place is in, from the outside in.
    names: Vec<String>,
    /// Whether the compiler computes what is here.
    constant: bool,
    seen: BTreeSet<(usize, usize, Change)>,
    sites: Vec<Site>,
}

impl Finder<'_> {
    fn add(&mut self, range: Range<usize>, change: Change) {
        let function = self.names.join("::");
        let text = &self.source[range.clone()];
        let excluded = self.constant || scope::is_excluded(self.file, &function, text);
        if !excluded && self.seen.insert((range.start, range.end, change.clone())) {
            let line = self.lines.partition_point(|&end| end < range.start) + 1;
            self.sites.push(Site { range, change, function, line });
        }
    }

    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.names.push(name);
        visit(self);
        self.names.pop();
    }

    fn in_constant(&mut self, constant: bool, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.constant, constant);
        visit(self);
        self.constant = before;
    }

    /// What an expression gives is a condition.
    fn condition(&mut self, expr: &Expr, place: Place) {
        let denied = match expr {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => &unary.expr,
            _ => expr,
        };
        if is_seeded(denied) {
            return;
        }
        match expr {
            Expr::Paren(paren) => self.condition(&paren.expr, place),
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
                if place != Place::Conjunct && !has_let(expr) {
                    self.add(range(expr), Change::Force(false));
                }
                self.condition(&binary.left, Place::Conjunct);
                self.condition(&binary.right, Place::Conjunct);
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::Or(_)) => {
                if place != Place::Disjunct {
                    self.add(range(expr), Change::Force(true));
                }
                self.condition(&binary.left, Place::Disjunct);
                self.condition(&binary.right, Place::Disjunct);
            }
            Expr::If(conditional) => {
                self.tail(&conditional.then_branch, place);
                if let Some((_, other)) = &conditional.else_branch {
                    self.condition(other, place);
                }
            }
            Expr::Block(block) => self.tail(&block.block, place),
            Expr::Match(table) => table.arms.iter().for_each(|arm| self.condition(&arm.body, place)),
            Expr::Lit(literal) => {
                if matches!(literal.lit, Lit::Bool(_)) {
                    self.add(range(expr), Change::Negate);
                }
            }
            Expr::Macro(ExprMacro { mac, .. }) if !mac.path.is_ident("matches") => {}
            Expr::Let(_) | Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => {}
            _ => {
                if place != Place::Disjunct {
                    self.add(range(expr), Change::Force(true));
                }
                if place != Place::Conjunct {
                    self.add(range(expr), Change::Force(false));
                }
                if matches!(expr, Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_))) {
                    self.add(range(expr), Change::Negate);
                }
            }
        }
    }

    /// What a block gives is a condition.
    fn tail(&mut self, block: &Block, place: Place) {
        if let Some(Stmt::Expr(expr, None)) = block.stmts.last() {
            self.condition(expr, place);
        }
    }

    /// The operator of a comparison, and a number that is compared with.
    fn comparison(&mut self, expr: &syn::ExprBinary) {
        let (other, up): (&'static str, Option<bool>) = match expr.op {
            BinOp::Lt(_) => ("<=", Some(false)),
            BinOp::Le(_) => ("<", Some(true)),
            BinOp::Gt(_) => (">=", Some(true)),
            BinOp::Ge(_) => (">", Some(false)),
            BinOp::Eq(_) => ("!=", None),
            BinOp::Ne(_) => ("==", None),
            _ => return,
        };
        let all = expr.span().byte_range();
        let operator = expr.op.span().byte_range();
        self.add(all.clone(), Change::Instead { from: operator.start, to: operator.end, text: other });
        // Of a bound, the neighbour that the other operator does not come to.
        for (side, up) in [(&expr.right, up), (&expr.left, up.map(|up| !up))] {
            if let Expr::Lit(literal) = &**side
                && let Lit::Int(number) = &literal.lit
                && let Ok(value) = number.base10_parse::<u128>()
                && let Some(value) = if up == Some(false) { value.checked_sub(1) } else { value.checked_add(1) }
            {
                self.add(range(side), Change::Number(value));
            }
        }
    }

    /// `matches!` of one of several patterns: each left out, and its guard.
    fn patterns(&mut self, expr: &ExprMacro) {
        let parse = |input: syn::parse::ParseStream| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<Expr>()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let Ok((value, pattern, guard)) = parse.parse2(expr.mac.tokens.clone()) else { return };
        self.visit_expr(&value);
        if let Pat::Or(or) = &pattern {
            let all = expr.span().byte_range();
            let cases: Vec<Range<usize>> = or.cases.iter().map(|case| case.span().byte_range()).collect();
            for (index, case) in cases.iter().enumerate() {
                // With the bar after it, or the one before it.
                let (from, to) = match cases.get(index + 1) {
                    Some(next) => (case.start, next.start),
                    None => (cases[index - 1].end, case.end),
                };
                self.add(all.clone(), Change::Instead { from, to, text: "" });
            }
        }
        if let Some(guard) = &guard {
            self.condition(guard, Place::Whole);
            self.visit_expr(guard);
        }
    }

    /// A statement that notes what must not be forgotten.
    fn statement(&mut self, statement: &Stmt) {
        let Stmt::Expr(expr, Some(_)) = statement else { return };
        let notes = match expr {
            Expr::MethodCall(call) => {
                scope::NOTING.contains(&call.method.to_string().as_str())
                    && last_name(&call.receiver).is_some_and(|name| scope::FACTS.contains(&name.as_str()))
            }
            Expr::Assign(assign) => {
                matches!(&*assign.right, Expr::Lit(literal) if matches!(literal.lit, Lit::Bool(_)))
                    && !matches!(*assign.left, Expr::Path(_))
            }
            Expr::Binary(binary) => matches!(binary.op, BinOp::BitOrAssign(_) | BinOp::BitAndAssign(_)),
            _ => false,
        };
        if notes {
            self.add(statement.span().byte_range(), Change::Skip);
        }
    }

    fn function(
        &mut self,
        name: String,
        constant: bool,
        output: &ReturnType,
        block: &Block,
        visit: impl FnOnce(&mut Self),
    ) {
        self.within(name, |finder| {
            finder.in_constant(constant, |finder| {
                if matches!(output, ReturnType::Type(_, ty) if is_bool(ty)) {
                    finder.tail(block, Place::Whole);
                    Returns(finder).visit_block(block);
                }
                visit(finder);
            });
        });
    }
}

/// Looks for what a function returns early, which is a condition.
struct Returns<'f, 's>(&'f mut Finder<'s>);

impl<'a> Visit<'a> for Returns<'_, '_> {
    fn visit_expr_return(&mut self, expr: &'a syn::ExprReturn) {
        if let Some(value) = &expr.expr {
            self.0.condition(value, Place::Whole);
        }
    }

    fn visit_expr_closure(&mut self, _: &'a syn::ExprClosure) {}

    fn visit_item_fn(&mut self, _: &'a syn::ItemFn) {}
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let attributes: &[Attribute] = match item {
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Macro(_) => return,
            _ => &[],
        };
        if !attributes.iter().any(is_conditional) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        let constant = item.sig.constness.is_some();
        self.function(item.sig.ident.to_string(), constant, &item.sig.output, &item.block, |finder| {
            visit::visit_block(finder, &item.block);
        });
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let name = match &*item.self_ty {
            Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.within(name.unwrap_or_default(), |finder| visit::visit_item_impl(finder, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if item.attrs.iter().any(is_conditional) {
            return;
        }
        let constant = item.sig.constness.is_some();
        self.function(item.sig.ident.to_string(), constant, &item.sig.output, &item.block, |finder| {
            visit::visit_block(finder, &item.block);
        });
    }

    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.within(item.ident.to_string(), |finder| {
            finder.in_constant(true, |finder| visit::visit_item_const(finder, item));
        });
    }

    fn visit_item_static(&mut self, item: &'a syn::ItemStatic) {
        self.within(item.ident.to_string(), |finder| {
            finder.in_constant(true, |finder| visit::visit_item_static(finder, item));
        });
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        let name = last_name(&call.func).unwrap_or_default();
        if name == "rule"
            && let Some(Expr::Lit(literal)) = call.args.first()
            && let Lit::Str(text) = &literal.lit
        {
            return self.within(text.value(), |finder| visit::visit_expr_call(finder, call));
        }
        if scope::CHECKS.contains(&(self.file, name.as_str()))
            && let Some(condition) = call.args.first()
        {
            self.condition(condition, Place::Whole);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let name = call.method.to_string();
        if scope::SAYING.contains(&name.as_str()) && matches!(call.args.first(), Some(Expr::Lit(_) | Expr::Closure(_)))
        {
            return;
        }
        if OF_CONDITIONS.contains(&name.as_str()) {
            self.condition(&call.receiver, Place::Whole);
        }
        if PREDICATES.contains(&name.as_str()) {
            for argument in &call.args {
                if let Expr::Closure(closure) = argument {
                    self.in_constant(false, |finder| finder.condition(&closure.body, Place::Whole));
                }
            }
        }
        // Those of iterators take a closure or a function; other types have methods of these names.
        let is_of_iterators = call.args.len() == 1 && matches!(call.args[0], Expr::Closure(_) | Expr::Path(_));
        let other = match name.as_str() {
            "all" if is_of_iterators => Some("any"),
            "any" if is_of_iterators => Some("all"),
            _ => None,
        };
        if let Some(text) = other {
            let name = call.method.span().byte_range();
            self.add(call.span().byte_range(), Change::Instead { from: name.start, to: name.end, text });
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_closure(&mut self, closure: &'a syn::ExprClosure) {
        self.in_constant(false, |finder| visit::visit_expr_closure(finder, closure));
    }

    fn visit_expr_if(&mut self, conditional: &'a syn::ExprIf) {
        if is_seeded(&conditional.cond) {
            if let Some((_, other)) = &conditional.else_branch {
                self.visit_expr(other);
            }
            return;
        }
        self.condition(&conditional.cond, Place::Whole);
        let is_limit = scope::names_limit(&self.source[range(&conditional.cond)]) && leaves(&conditional.then_branch);
        self.visit_expr(&conditional.cond);
        self.in_constant(self.constant || is_limit, |finder| finder.visit_block(&conditional.then_branch));
        if let Some((_, other)) = &conditional.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, repeated: &'a syn::ExprWhile) {
        // That a loop never ends is seen without a test.
        self.condition(&repeated.cond, Place::Disjunct);
        visit::visit_expr_while(self, repeated);
    }

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        if matches!(&arm.pat, Pat::Guard(guarded) if is_seeded(&guarded.guard)) {
            return;
        }
        visit::visit_arm(self, arm);
    }

    fn visit_pat_guard(&mut self, guarded: &'a syn::PatGuard) {
        self.condition(&guarded.guard, Place::Whole);
        visit::visit_pat_guard(self, guarded);
    }

    fn visit_expr_binary(&mut self, binary: &'a syn::ExprBinary) {
        match binary.op {
            BinOp::And(_) if [&binary.left, &binary.right].into_iter().any(|side| is_seeded(side)) => return,
            BinOp::And(_) => {
                self.condition(&binary.left, Place::Conjunct);
                self.condition(&binary.right, Place::Conjunct);
            }
            BinOp::Or(_) => {
                self.condition(&binary.left, Place::Disjunct);
                self.condition(&binary.right, Place::Disjunct);
            }
            _ => self.comparison(binary),
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_macro(&mut self, expr: &'a ExprMacro) {
        if expr.mac.path.is_ident("matches") {
            self.patterns(expr);
        }
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        self.statement(statement);
        visit::visit_stmt(self, statement);
    }

    fn visit_type(&mut self, _: &'a Type) {}
}

fn range(expr: &Expr) -> Range<usize> {
    expr.span().byte_range()
}

/// Whether a block ends with what leaves it: how much is tried is no condition, nor is what comes where that is too much.
fn leaves(block: &Block) -> bool {
    matches!(block.stmts.last(), Some(Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _)))
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// Whether a condition only holds where a deliberate fault is asked for, which is never there without its feature.
fn is_seeded(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => is_seeded(&paren.expr),
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            is_seeded(&binary.left) || is_seeded(&binary.right)
        }
        Expr::Call(call) => last_name(&call.func).is_some_and(|name| name == scope::SEEDED),
        _ => false,
    }
}

fn is_bool(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("bool"))
}

/// Whether code is compiled for tests or with a feature only.
fn is_conditional(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("test")
}

/// The last name of a path or a chain of fields.
fn last_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => Some(name.to_string()),
            syn::Member::Unnamed(_) => last_name(&field.base),
        },
        Expr::Index(index) => last_name(&index.expr),
        Expr::MethodCall(call) => last_name(&call.receiver),
        _ => None,
    }
}
